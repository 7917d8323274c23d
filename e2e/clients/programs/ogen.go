package main

import (
	"context"
	"fmt"
	"os"

	"github.com/ogen-go/ogen/ogenerrors"
	"x/client"
)

type key struct{}

func (key) ApiKeyHeader(context.Context, client.OperationName) (client.ApiKeyHeader, error) {
	return client.ApiKeyHeader{APIKey: os.Getenv("FLEET_KEY")}, nil
}
func (key) Bearer(context.Context, client.OperationName) (client.Bearer, error) {
	return client.Bearer{}, ogenerrors.ErrSkipClientSecurity
}
func (key) SessionCookie(context.Context, client.OperationName) (client.SessionCookie, error) {
	return client.SessionCookie{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	ctx := context.Background()
	fleet, err := client.NewClient(os.Getenv("FLEET_URL"), key{})
	check(err)
	name, kind := os.Getenv("NAME"), client.AgentInputType(os.Getenv("FLEET_TYPE"))
	created, err := fleet.CreateAgent(ctx, &client.AgentInput{Name: name, Type: kind}, client.CreateAgentParams{})
	id := as[*client.AgentHeaders](created, err).Response.ID
	listed, err := fleet.ListAgents(ctx, client.ListAgentsParams{
		Fields: client.NewOptString("paused_at"), Name: client.NewOptString(name),
	})
	agents := as[*client.ListAgentsOKHeaders](listed, err).Response
	skills := client.NewOptNilTaskInputSkillsItemArray([]client.TaskInputSkillsItem{client.NewStringTaskInputSkillsItem("plan")})
	_, err = fleet.CreateTask(ctx, &client.TaskInput{Message: "Do it", Skills: skills}, client.CreateTaskParams{AgentID: id})
	check(err)
	given, err := fleet.ListAgentTasks(ctx, client.ListAgentTasksParams{
		AgentID: id, Fields: client.NewOptString("status,skills"),
	})
	task := as[*client.ListAgentTasksOKHeaders](given, err).Response[0]
	request := client.AgentLeaseRequest{WorkerID: name}
	leases, err := fleet.LeaseAgentTasks(ctx, &request, client.LeaseAgentTasksParams{AgentID: id})
	lease := as[*client.LeasesHeaders](leases, err).Response.Leases[0]
	result := client.TaskResult{Token: lease.Token, Status: client.TaskResultStatusCompleted}
	done, err := fleet.PutLeaseResult(ctx, &result, client.PutLeaseResultParams{LeaseID: lease.ID})
	ended := as[*client.CancelTaskOKHeaders](done, err).Response
	found, err := fleet.GetCatalogue(ctx, client.GetCatalogueParams{Q: client.NewOptString("review"), Limit: client.NewOptInt(1)})
	catalogue := as[*client.CatalogueHeaders](found, err).Response
	retry := client.TaskInput{Message: "Again", RetryOf: client.NewOptNilString("missing")}
	again, err := fleet.CreateTask(ctx, &retry, client.CreateTaskParams{AgentID: id})
	refused := as[*client.CreateTaskUnprocessableEntity](again, err).Response
	fmt.Println(len(agents), task.Status.Value, task.Skills.Value[0].String, lease.Task.Message, ended.Status,
		len(catalogue.Skills), refused.Error)
}

func as[Of any](response any, err error) Of {
	check(err)
	return response.(Of)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
