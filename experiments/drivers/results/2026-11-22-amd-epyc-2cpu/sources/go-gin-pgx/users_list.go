package main

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const selectUsers = `SELECT user_id, username, email FROM "user" ORDER BY user_id LIMIT 100`

type listedUser struct {
	UserID   string `db:"user_id" json:"user_id"`
	Username string `db:"username" json:"username"`
	Email    string `db:"email" json:"email"`
}

// listUsers answers GET /users: the first hundred users by id.
func listUsers(db *pgxpool.Pool) gin.HandlerFunc {
	return func(c *gin.Context) {
		// An error of the query is the rows' too.
		rows, _ := db.Query(c.Request.Context(), selectUsers)
		users, err := pgx.CollectRows(rows, pgx.RowToStructByName[listedUser])
		if err != nil {
			c.AbortWithError(http.StatusInternalServerError, err)
			return
		}
		c.JSON(http.StatusOK, users)
	}
}
