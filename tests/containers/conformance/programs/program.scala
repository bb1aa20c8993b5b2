// What the tests ask of most languages: MODE N, and for `sort` N numbers.
import scala.collection.mutable.ArrayBuffer
import scala.io.StdIn

object Asked {
  def deep(n: Long): Long = if (n == 0) 0 else 1 + deep(n - 1)

  def main(arguments: Array[String]): Unit = {
    val Array(mode, word) = StdIn.readLine().split(" ")
    val n = word.toLong
    mode match {
      case "sort" => print(StdIn.readLine().split(" ").map(_.toLong).sorted.mkString("", "\n", "\n"))
      case "deep" => println(deep(n))
      case "hoard" =>
        val all = ArrayBuffer[Array[Int]]()
        while (true) all += Array.fill(100000)(1)
      case "spin" => while (true) {}
      case "throw" => throw new RuntimeException("thrown")
      case "exit" => sys.exit(n.toInt)
    }
  }
}
