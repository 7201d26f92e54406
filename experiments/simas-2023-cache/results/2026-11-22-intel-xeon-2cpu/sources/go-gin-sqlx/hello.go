package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// hello answers GET /hello: a constant line of text.
func hello(c *gin.Context) {
	c.String(http.StatusOK, "Hello, World")
}
