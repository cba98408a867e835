// An agent in Go, speaking with `sixer serve` in lines of JSON (docs/serve.md).
//
//	sixer serve --tcp 5000 &
//	go run examples/serve/client.go 127.0.0.1:5000
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
)

type object map[string]any
type reply struct {
	Ok, Over bool
	Error    string
	Reward   int
	Actions  []int
}

func main() {
	connection, err := net.Dial("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	requests, replies := json.NewEncoder(connection), json.NewDecoder(connection)
	ask := func(request object) (r reply) {
		requests.Encode(request)
		if err := replies.Decode(&r); err != nil || !r.Ok {
			log.Fatal(err, r.Error)
		}
		return r
	}
	actions := ask(object{"do": "make", "game": "duskrain", "seed": 1, "frame_skip": 4}).Actions
	for episode := 0; episode < 3; episode++ {
		state, score, steps := ask(object{"do": "reset"}), 0, 0
		for ; !state.Over; steps++ {
			state = ask(object{"do": "step", "action": actions[steps/8%len(actions)]})
			score += state.Reward
		}
		fmt.Fprintf(os.Stderr, "score %d after %d steps\n", score, steps)
	}
}
