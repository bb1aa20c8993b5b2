package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	in, out := bufio.NewReaderSize(os.Stdin, 1<<20), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	next := func() (n int) {
		c, _ := in.ReadByte()
		for c == ' ' || c == '\n' {
			c, _ = in.ReadByte()
		}
		for ; c >= '0'; c, _ = in.ReadByte() {
			n = n*10 + int(c-'0')
		}
		return
	}
	n, m := next(), next()
	after, waits := make([][]int, n+1), make([]int, n+1)
	for ; m > 0; m-- {
		u, v := next(), next()
		after[u] = append(after[u], v)
		waits[v]++
	}
	var ready, order []int
	for i := 1; i <= n; i++ {
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		u := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		order = append(order, u)
		for _, v := range after[u] {
			if waits[v]--; waits[v] == 0 {
				ready = append(ready, v)
			}
		}
	}
	if len(order) < n {
		fmt.Fprintln(out, "IMPOSSIBLE")
		return
	}
	for _, u := range order {
		fmt.Fprint(out, u, " ")
	}
	fmt.Fprintln(out)
}
