package main

import (
	"encoding/json"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/gin-gonic/gin/binding"
)

// Pointers tell a key that is missing from one that holds a zero.
type user struct {
	ID    *int64  `json:"id" binding:"required"`
	Name  *string `json:"name" binding:"required"`
	Email *string `json:"email" binding:"required"`
}

// echoUser answers POST /user: a user parsed into a typed record.
func echoUser(c *gin.Context) {
	user, err := parseUser(c)
	if err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
		return
	}
	c.JSON(http.StatusOK, user)
}

// parseUser is ShouldBindJSON for the whole body: that one would leave what follows the first value unread.
func parseUser(c *gin.Context) (user user, err error) {
	body, err := c.GetRawData()
	if err != nil {
		return user, err
	}
	if err := json.Unmarshal(body, &user); err != nil {
		return user, err
	}
	return user, binding.Validator.ValidateStruct(&user)
}
