package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/jmoiron/sqlx"
)

const selectUsers = `SELECT user_id, username, email FROM "user" ORDER BY user_id LIMIT 100`

type listedUser struct {
	UserID   string `db:"user_id" json:"user_id"`
	Username string `db:"username" json:"username"`
	Email    string `db:"email" json:"email"`
}

// listUsers answers GET /users: the first hundred users by id.
func listUsers(db *sqlx.DB) gin.HandlerFunc {
	return func(c *gin.Context) {
		users := []listedUser{}
		if err := db.SelectContext(c.Request.Context(), &users, selectUsers); err != nil {
			c.AbortWithError(http.StatusInternalServerError, err)
			return
		}
		c.JSON(http.StatusOK, users)
	}
}
