package main

import (
	"database/sql"
	"errors"
	"net/http"
	"regexp"

	"github.com/gin-gonic/gin"
	"github.com/jmoiron/sqlx"
)

const selectUser = `SELECT user_id, username, email FROM "user" WHERE user_id = $1`

// userIDPattern is a UUID as the column spells it.
var userIDPattern = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// findUser answers GET /users/:user_id: one user by primary key.
func findUser(db *sqlx.DB) gin.HandlerFunc {
	return func(c *gin.Context) {
		id := c.Param("user_id")
		if !userIDPattern.MatchString(id) {
			c.JSON(http.StatusBadRequest, gin.H{"error": "an id is a UUID in lower case, with hyphens"})
			return
		}
		var user listedUser
		err := db.GetContext(c.Request.Context(), &user, selectUser, id)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			c.JSON(http.StatusNotFound, gin.H{"error": "no such user"})
		case err != nil:
			c.AbortWithError(http.StatusInternalServerError, err)
		default:
			c.JSON(http.StatusOK, user)
		}
	}
}
