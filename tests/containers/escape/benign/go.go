// Shows: Go: goroutines, channels, a deep recursion, garbage
package main

import (
	"bufio"
	"fmt"
	"os"
	"sync"
)

func down(value int64, depth int) int64 {
	if depth == 0 {
		return value
	}
	return down(value, depth-1)
}

func main() {
	var a, b, sum int64
	fmt.Fscan(bufio.NewReader(os.Stdin), &a, &b)
	var group sync.WaitGroup
	parts := make(chan int64, 100)
	for i := 0; i < 100; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			garbage := make([]byte, 1<<16)
			if i == 0 {
				parts <- a + int64(garbage[0])
			} else if i == 1 {
				parts <- b
			}
		}(i)
	}
	group.Wait()
	close(parts)
	for part := range parts {
		sum += part
	}
	fmt.Println(down(sum, 1000000))
}
