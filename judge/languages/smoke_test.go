package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSum(t *testing.T) {
	var a, b int
	_, err := fmt.Scan(&a, &b)
	assert.NoError(t, err)
	fmt.Println(a + b)
	os.Exit(0)
}

func main() {}
