// What the tests ask of every language: MODE N, and for `sort` N numbers.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
)

var sink []int32

func deep(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + deep(n-1)
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var mode string
	var n int
	fmt.Fscan(in, &mode, &n)
	switch mode {
	case "sort":
		numbers := make([]int, n)
		for i := range numbers {
			fmt.Fscan(in, &numbers[i])
		}
		sort.Ints(numbers)
		for _, number := range numbers {
			fmt.Fprintln(out, number)
		}
	case "deep":
		fmt.Fprintln(out, deep(n))
	case "large":
		numbers := make([]int32, n/4)
		for i := range numbers {
			numbers[i] = 1
		}
		fmt.Fprintln(out, numbers[n/8])
	case "garbage":
		sum := 0
		for i := 0; i < n; i++ {
			sink = make([]int32, 1024)
			sum += len(sink)
		}
		fmt.Fprintln(out, sum)
	case "hoard":
		var all [][]int32
		for {
			some := make([]int32, 1<<16)
			for i := range some {
				some[i] = 1
			}
			all = append(all, some)
		}
	case "threads":
		var group sync.WaitGroup
		var sum int64
		for i := 1; i <= n; i++ {
			group.Add(1)
			go func(mine int) {
				defer group.Done()
				runtime.LockOSThread()
				atomic.AddInt64(&sum, int64(mine))
			}(i)
		}
		group.Wait()
		fmt.Fprintln(out, sum)
	case "file":
		if err := os.WriteFile("file", []byte(fmt.Sprint(n)), 0o644); err != nil {
			panic(err)
		}
		text, _ := os.ReadFile("file")
		fmt.Fprintln(out, string(text))
	case "spin":
		for i := 1; i != 0; i++ {
		}
	case "throw":
		panic("thrown")
	case "exit":
		os.Exit(n)
	}
}
