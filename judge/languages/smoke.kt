import java.util.PriorityQueue

fun main() {
    val numbers = PriorityQueue(readLine()!!.split(" ").map { it.toLong() })
    println(numbers.sum())
}
