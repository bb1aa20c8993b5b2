object Main {
  def depth(n: Int): Int = if (n == 0) 0 else 1 + depth(n - 1)
  def main(arguments: Array[String]): Unit = {
    val Array(what, text) = scala.io.StdIn.readLine().split(" ")
    val n = text.toInt
    val done = what match {
      case "memory" => Array.fill(n)(new Array[Byte]((1 << 20) - 16)).length
      case "depth" => depth(n)
      case _ => throw new IllegalStateException("fail")
    }
    println(s"done $done")
  }
}
