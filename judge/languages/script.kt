fun main(arguments: Array<String>) {
    Solution(arguments)
}
