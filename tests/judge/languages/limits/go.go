package main

import "fmt"

func depth(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + depth(n-1)
}

func main() {
	var what string
	var n int
	fmt.Scan(&what, &n)
	switch what {
	case "memory":
		parts := [][]byte{}
		for i := 0; i < n; i++ {
			part := make([]byte, 1<<20)
			for at := 0; at < len(part); at += 4096 {
				part[at] = 1
			}
			parts = append(parts, part)
		}
		n = len(parts)
	case "depth":
		n = depth(n)
	default:
		panic(what)
	}
	fmt.Println("done", n)
}
