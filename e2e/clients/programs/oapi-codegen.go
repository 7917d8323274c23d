package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"x/client"
)

func main() {
	ctx := context.Background()
	withKey := client.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", os.Getenv("FLEET_KEY"))
		return nil
	})
	fleet, err := client.NewClientWithResponses(os.Getenv("FLEET_URL"), withKey)
	check(err)
	name := os.Getenv("NAME")
	input := client.AgentInput{Name: name, Type: client.AgentInputType(os.Getenv("FLEET_TYPE"))}
	created, err := fleet.CreateAgentWithResponse(ctx, nil, input)
	check(err)
	id := created.JSON201.Id
	fields := "paused_at"
	agents, err := fleet.ListAgentsWithResponse(ctx, &client.ListAgentsParams{Fields: &fields, Name: &name})
	check(err)
	skills := make([]client.TaskInput_Skills_Item, 1)
	check(skills[0].FromTaskInputSkills0("plan"))
	_, err = fleet.CreateTaskWithResponse(ctx, id, nil, client.TaskInput{Message: "Do it", Skills: &skills})
	check(err)
	fields = "status,skills"
	tasks, err := fleet.ListAgentTasksWithResponse(ctx, id, &client.ListAgentTasksParams{Fields: &fields})
	check(err)
	skill, err := (*(*tasks.JSON200)[0].Skills)[0].AsTaskFieldsSkills0()
	check(err)
	leases, err := fleet.LeaseAgentTasksWithResponse(ctx, id, client.AgentLeaseRequest{WorkerId: name})
	check(err)
	lease := leases.JSON201.Leases[0]
	result := client.TaskResult{Token: lease.Token, Status: client.TaskResultStatusCompleted}
	done, err := fleet.PutLeaseResultWithResponse(ctx, lease.Id, result)
	check(err)
	q, limit := "review", 1
	found, err := fleet.GetCatalogueWithResponse(ctx, &client.GetCatalogueParams{Q: &q, Limit: &limit})
	check(err)
	missing := "missing"
	refused, err := fleet.CreateTaskWithResponse(ctx, id, nil, client.TaskInput{Message: "Again", RetryOf: &missing})
	check(err)
	fmt.Println(len(*agents.JSON200), *(*tasks.JSON200)[0].Status, skill, lease.Task.Message, done.JSON200.Status,
		len(found.JSON200.Skills), refused.JSON422.Error)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
