package main

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// wait answers GET /async: a wait that holds no thread.
func wait(c *gin.Context) {
	time.Sleep(2 * time.Millisecond)
	c.String(http.StatusOK, "OK")
}
