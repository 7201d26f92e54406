package main

import (
	"context"
	"errors"
	"fmt"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
)

const findTables = `SELECT coalesce(to_regclass('"user"'), to_regclass('movies'), to_regclass('logradouro')) IS NOT NULL`

// connect opens the connection pool and checks that it reaches the tables that are served.
func connect(ctx context.Context, settings settings) (*sqlx.DB, error) {
	db, err := sqlx.ConnectContext(ctx, "pgx", settings.databaseURL)
	if err != nil {
		return nil, fmt.Errorf("cannot reach the database of DATABASE_URL: %w", err)
	}
	db.SetMaxOpenConns(settings.poolSize)
	db.SetMaxIdleConns(settings.poolIdle)

	var found bool
	if err := db.GetContext(ctx, &found, findTables); err != nil {
		return nil, err
	}
	if !found {
		return nil, errors.New("the database of DATABASE_URL has no table that this service reads")
	}
	return db, openIdle(ctx, db, settings.poolIdle)
}

// openIdle holds count connections at once: database/sql opens them on demand only.
func openIdle(ctx context.Context, db *sqlx.DB, count int) error {
	for range count {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
	}
	return nil
}
