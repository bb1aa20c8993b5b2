package main

import "fmt"

func main() {
	var numbers []int64
	var a int64
	for {
		if _, err := fmt.Scan(&a); err != nil {
			break
		}
		numbers = append(numbers, a)
	}
	fmt.Println(numbers[0] + numbers[len(numbers)])
}
