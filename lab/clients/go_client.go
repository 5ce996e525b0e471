// A foreign client of the OAuth routes: golang.org/x/oauth2 as Debian packages it, which finds out by itself that the
// client is sent as HTTP Basic with an empty password. That version knows no device flow, which net/http does here.
//
// Arguments: flow (code or device), issuer. The lines are those of python_client.py.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

const clientID, verifier, state = "svc-cli", "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv", "the state"

type fields map[string]any

var input = bufio.NewReader(os.Stdin)

func tell(facts fields) string {
	line, _ := json.Marshal(facts)
	fmt.Println(string(line))
	response, _ := input.ReadString('\n')
	return strings.TrimSpace(response)
}

func decode(response *http.Response, err error) fields {
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	var body fields
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		panic(err)
	}
	return body
}

func code(server fields) (string, string) {
	config := oauth2.Config{
		ClientID:    clientID,
		RedirectURL: "http://127.0.0.1:49152/callback?own=%7e",
		Scopes:      []string{"publish", "projects"},
		Endpoint: oauth2.Endpoint{
			AuthURL:  server["authorization_endpoint"].(string),
			TokenURL: server["token_endpoint"].(string),
		},
	}
	hash := sha256.Sum256([]byte(verifier))
	address := config.AuthCodeURL(
		state,
		oauth2.SetAuthURLParam("code_challenge", base64.RawURLEncoding.EncodeToString(hash[:])),
		oauth2.SetAuthURLParam("code_challenge_method", "S256"),
	)
	redirect, err := url.Parse(tell(fields{"authorization_url": address}))
	if err != nil {
		panic(err)
	}
	query := redirect.Query()
	if query.Get("state") != state || query.Get("iss") != server["issuer"] || query.Get("own") != "~" {
		panic("the redirect has another state, issuer or query")
	}
	if query.Has("error") {
		return "", query.Get("error")
	}
	token, err := config.Exchange(context.Background(), query.Get("code"), oauth2.SetAuthURLParam("code_verifier", verifier))
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return "", string(refused.Body)
	}
	if err != nil {
		panic(err)
	}
	return token.AccessToken, ""
}

func device(server fields) (string, string) {
	asked := url.Values{"client_id": {clientID}, "scope": {"publish projects"}}
	codes := decode(http.PostForm(server["device_authorization_endpoint"].(string), asked))
	tell(fields{"user_code": codes["user_code"]})
	for {
		form := url.Values{
			"client_id":   {clientID},
			"grant_type":  {"urn:ietf:params:oauth:grant-type:device_code"},
			"device_code": {codes["device_code"].(string)},
		}
		body := decode(http.PostForm(server["token_endpoint"].(string), form))
		if token, ok := body["access_token"].(string); ok {
			return token, ""
		}
		if body["error"] != "authorization_pending" {
			return "", body["error"].(string)
		}
		time.Sleep(time.Duration(codes["interval"].(float64)) * time.Second)
	}
}

func main() {
	flow, issuer := os.Args[1], os.Args[2]
	server := decode(http.Get(issuer + "/.well-known/oauth-authorization-server"))
	if server["issuer"] != issuer {
		panic("the metadata name another issuer")
	}
	flows := map[string]func(fields) (string, string){"code": code, "device": device}
	token, refusal := flows[flow](server)
	if refusal != "" {
		tell(fields{"error": refusal})
	} else {
		tell(fields{"access_token": token})
	}
}
