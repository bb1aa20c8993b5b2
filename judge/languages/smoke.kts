fun main() {
    println(readLine()!!.split(" ").map(String::toInt).sum())
}

main()
