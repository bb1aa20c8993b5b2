// One byte for each unit of the sum.
package main

import "fmt"

func main() {
	var a, b int64
	fmt.Scan(&a, &b)
	sum, sign := a+b, ""
	if sum < 0 {
		sum, sign = -sum, "-"
	}
	units := make([]byte, sum)
	for i := range units {
		units[i] = 1
	}
	fmt.Println(sign + fmt.Sprint(len(units)))
}
