fun depth(n: Int): Int = if (n == 0) 0 else 1 + depth(n - 1)
fun main() {
    val (what, text) = readLine()!!.split(" ")
    var n = text.toInt()
    when (what) {
        "memory" -> { val parts = List(n) { ByteArray((1 shl 20) - 16) }; n = parts.size }
        "depth" -> n = depth(n)
        else -> throw IllegalStateException("fail")
    }
    println("done $n")
}
