import scala.collection.mutable.ArrayBuffer
import scala.io.StdIn

object Main {
  def main(arguments: Array[String]): Unit = {
    val numbers = ArrayBuffer(StdIn.readLine().split(" ").map(_.toLong): _*)
    println(numbers.sum)
  }
}
