// A webhook handler with Go's net/http, without dependencies:
//
//	export SVC_WEBHOOK_SECRET="$(cat secret.txt)"; go run main.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
)

var (
	secret  = []byte(os.Getenv("SVC_WEBHOOK_SECRET")) // the text of the secret, not decoded
	handled sync.Map                                  // use your database: a delivery can arrive more than once
)

type event struct {
	Type       string `json:"type"`
	DeliveryID string `json:"deliveryId"`
	ContentID  string `json:"contentId"`
	HashID     string `json:"hashId"`
}

// verify reports whether signature is the lower-case hex HMAC-SHA-256 of the raw body.
func verify(body []byte, signature string) bool {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}

func handle(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "only POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "cannot read the body", http.StatusBadRequest)
		return
	}
	if !verify(body, r.Header.Get("X-Service-Signature")) {
		http.Error(w, "invalid signature", http.StatusUnauthorized)
		return
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	if _, seen := handled.LoadOrStore(e.DeliveryID, true); !seen {
		fmt.Println(e.Type, e.ContentID, e.HashID) // your work here; ignore unknown kinds
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"received": true}`)
}

func main() {
	if len(secret) == 0 {
		log.Fatal("set SVC_WEBHOOK_SECRET to the signing secret of the subscription")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s/webhooks\n", listener.Addr())
	http.HandleFunc("/webhooks", handle)
	log.Fatal(http.Serve(listener, nil))
}
