// What the tests ask of most languages: MODE N, and for `sort` N numbers.
fun deep(n: Long): Long = if (n == 0L) 0 else 1 + deep(n - 1)

fun main() {
    val (mode, word) = readLine()!!.split(" ")
    val n = word.toLong()
    when (mode) {
        "sort" -> println(readLine()!!.split(" ").map { it.toLong() }.sorted().joinToString("\n"))
        "deep" -> println(deep(n))
        "hoard" -> {
            val all = ArrayList<IntArray>()
            while (true) all.add(IntArray(100000) { 1 })
        }
        "spin" -> while (true) {}
        "throw" -> throw RuntimeException("thrown")
        "exit" -> System.exit(n.toInt())
    }
}
