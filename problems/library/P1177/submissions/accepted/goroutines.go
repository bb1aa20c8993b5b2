// Merge sort, the halves side by side.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func sorted(a []int, depth int) []int {
	if len(a) < 2 {
		return a
	}
	half := len(a) / 2
	left := make(chan []int, 1)
	if depth > 0 {
		go func() { left <- sorted(a[:half], depth-1) }()
	} else {
		left <- sorted(a[:half], 0)
	}
	right, merged := sorted(a[half:], depth-1), make([]int, 0, len(a))
	for l := <-left; len(l) > 0 || len(right) > 0; {
		if len(right) == 0 || (len(l) > 0 && l[0] <= right[0]) {
			merged, l = append(merged, l[0]), l[1:]
		} else {
			merged, right = append(merged, right[0]), right[1:]
		}
	}
	return merged
}

func main() {
	in, out := bufio.NewReaderSize(os.Stdin, 1<<16), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var n int
	fmt.Fscan(in, &n)
	a := make([]int, n)
	for i := range a {
		fmt.Fscan(in, &a[i])
	}
	for _, x := range sorted(a, 4) {
		fmt.Fprint(out, x, " ")
	}
}
