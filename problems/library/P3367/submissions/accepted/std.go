package main

import (
	"bufio"
	"os"
)

var in = bufio.NewReaderSize(os.Stdin, 1<<16)

func number() (value int) {
	c, _ := in.ReadByte()
	for c < '0' {
		c, _ = in.ReadByte()
	}
	for ; c >= '0'; c, _ = in.ReadByte() {
		value = 10*value + int(c-'0')
	}
	return
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	n, m := number(), number()
	parent := make([]int32, n+1)
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(x int) int32 {
		for parent[x] != int32(x) {
			parent[x] = parent[parent[x]]
			x = int(parent[x])
		}
		return int32(x)
	}
	for ; m > 0; m-- {
		kind, x, y := number(), find(number()), find(number())
		if kind == 1 {
			parent[x] = y
		} else if x == y {
			out.WriteString("Y\n")
		} else {
			out.WriteString("N\n")
		}
	}
}
