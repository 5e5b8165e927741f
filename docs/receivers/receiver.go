// Takes webhooks of receiptd, with Go 1.21 or newer: go mod init receiver;
// go get github.com/standard-webhooks/standard-webhooks/libraries; RECEIPTD_SECRET=whsec_… go run receiver.go
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const longestBody = 256 * 1024

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// A line for each message: its body, a tab, its id. A line that was cut by a crash has no known id.
type inbox struct {
	mutex sync.Mutex
	file  *os.File
	known map[string]bool
}

func openInbox(path string) (*inbox, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	box := &inbox{file: file, known: map[string]bool{}}
	reader := bufio.NewReader(file)
	for {
		line, err := reader.ReadString('\n')
		if at := strings.LastIndexByte(line, '\t'); at >= 0 {
			box.known[strings.TrimSuffix(line[at+1:], "\n")] = true
		}
		if errors.Is(err, io.EOF) {
			if line != "" {
				_, err = file.WriteString("\n")
				return box, err
			}
			return box, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// The message is on the disk when this returns without an error.
func (box *inbox) put(id string, body []byte) error {
	box.mutex.Lock()
	defer box.mutex.Unlock()
	if box.known[id] { // receiptd repeats what it does not know to have arrived
		return nil
	}
	if _, err := box.file.WriteString(string(body) + "\t" + id + "\n"); err != nil {
		return err
	}
	if err := box.file.Sync(); err != nil {
		return err
	}
	box.known[id] = true
	return nil
}

func main() {
	secret := os.Getenv("RECEIPTD_SECRET")
	webhook, err := standardwebhooks.NewWebhook(secret)
	if err == nil && strings.TrimPrefix(secret, "whsec_") == "" { // the library takes what is signed with nothing
		err = errors.New("it is empty")
	}
	if err != nil {
		log.Fatal("RECEIPTD_SECRET: ", err)
	}
	box, err := openInbox(setting("INBOX", "inbox.tsv"))
	if err != nil {
		log.Fatal(err)
	}
	take := func(response http.ResponseWriter, request *http.Request) {
		// The bytes as they came: JSON that was parsed and written again has another signature.
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, longestBody))
		if err != nil {
			response.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		// Compares in constant time, and refuses what is older than five minutes.
		if err := webhook.Verify(body, request.Header); err != nil {
			log.Print("refused: ", err)
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		if err := box.put(request.Header.Get("webhook-id"), body); err != nil {
			log.Print(err)
			response.WriteHeader(http.StatusInternalServerError)
			return
		}
		response.WriteHeader(http.StatusNoContent)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+setting("PORT", "8080"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{Handler: http.HandlerFunc(take), ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}
