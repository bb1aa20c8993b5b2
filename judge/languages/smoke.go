package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	var a, b int
	sum := make(chan int)
	if _, err := fmt.Fscan(bufio.NewReader(os.Stdin), &a, &b); err != nil {
		panic(err)
	}
	go func() { sum <- a + b }()
	fmt.Println(<-sum)
}
