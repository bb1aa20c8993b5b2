package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	var t int
	fmt.Fscan(in, &t)
	for ; t > 0; t-- {
		var x int64
		if os.Args[1] == "0" {
			fmt.Fscan(in, &x)
			fmt.Print(15)
			for i := 0; i < 15; i++ {
				fmt.Print(" ", int64(i)<<4|x>>(4*i)&15)
			}
			fmt.Println()
		} else {
			var k, letter int64
			for fmt.Fscan(in, &k); k > 0; k-- {
				fmt.Fscan(in, &letter)
				x |= (letter & 15) << (4 * (letter >> 4))
			}
			fmt.Println(x)
		}
	}
}
