package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

const fibonacciLimit = 100_000_000

// answerFibonacci answers GET /fibonacci: the numbers up to a limit, computed for every request.
func answerFibonacci(c *gin.Context) {
	answer := "?"
	if fibonacci(fibonacciLimit)[0] == 1 {
		answer = "OK"
	}
	c.String(http.StatusOK, answer)
}

func fibonacci(limit int) []int {
	var numbers []int
	for a, b := 1, 1; a <= limit; a, b = b, a+b {
		numbers = append(numbers, a)
	}
	return numbers
}
