// Reads the settings, serves until SIGTERM.
package main

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/jmoiron/sqlx"
)

func main() {
	settings, err := readSettings()
	if err != nil {
		log.Fatal(err)
	}
	if err := serve(settings); err != nil {
		log.Fatal(err)
	}
}

func serve(settings settings) error {
	runtime.GOMAXPROCS(settings.workers)
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()

	var db *sqlx.DB
	if settings.databaseURL != "" {
		var err error
		if db, err = connect(stop, settings); err != nil {
			return err
		}
		defer db.Close()
	}

	server := &http.Server{
		Addr:        net.JoinHostPort(settings.host, strconv.Itoa(settings.port)),
		Handler:     newApp(db, settings.logRequests),
		IdleTimeout: settings.keepAlive,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()

	select {
	case err := <-failed:
		return err
	case <-stop.Done():
	}
	// A client that never finishes its request must not keep the service alive.
	grace, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := server.Shutdown(grace); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
