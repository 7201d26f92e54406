package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// settings are what a deployer sets, from the environment alone.
type settings struct {
	host string
	port int
	// workers is the number of threads that run Go code.
	workers     int
	logRequests bool
	keepAlive   time.Duration
	// databaseURL is empty where the route that needs it is not served.
	databaseURL string
	poolSize    int
	poolIdle    int
}

func readSettings() (settings, error) {
	s := settings{
		host:        "127.0.0.1",
		logRequests: os.Getenv("LOG_REQUESTS") == "1",
		databaseURL: os.Getenv("DATABASE_URL"),
	}
	if host := os.Getenv("HOST"); host != "" {
		s.host = host
	}
	var seconds int
	for _, number := range []struct {
		name     string
		target   *int
		standard int
	}{
		{"PORT", &s.port, 8000},
		{"WORKERS", &s.workers, 1},
		{"KEEP_ALIVE_S", &seconds, 0},
		{"DB_POOL_SIZE", &s.poolSize, 100},
		{"DB_POOL_IDLE", &s.poolIdle, 1},
	} {
		*number.target = number.standard
		if text := os.Getenv(number.name); text != "" {
			value, err := strconv.Atoi(text)
			if err != nil {
				return s, fmt.Errorf("%s=%s is not a whole number", number.name, text)
			}
			*number.target = value
		}
	}
	s.keepAlive = time.Duration(seconds) * time.Second
	return s, nil
}
