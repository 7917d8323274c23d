package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	fleet "x/client"
)

func main() {
	settings := fleet.NewConfiguration()
	settings.Servers = fleet.ServerConfigurations{{URL: os.Getenv("FLEET_URL")}}
	key := map[string]fleet.APIKey{"apiKeyHeader": {Key: os.Getenv("FLEET_KEY")}}
	ctx := context.WithValue(context.Background(), fleet.ContextAPIKeys, key)
	api := fleet.NewAPIClient(settings)
	name, kind := os.Getenv("NAME"), os.Getenv("FLEET_TYPE")
	agent, _, err := api.AgentsAPI.CreateAgent(ctx).AgentInput(*fleet.NewAgentInput(name, kind)).Execute()
	check(err)
	agents, _, err := api.AgentsAPI.ListAgents(ctx).Fields("paused_at").Name(name).Execute()
	check(err)
	task := fleet.NewTaskInput("Do it")
	skill := "plan"
	task.Skills = []fleet.TaskFieldsSkillsInner{fleet.StringAsTaskFieldsSkillsInner(&skill)}
	_, _, err = api.TasksAPI.CreateTask(ctx, agent.Id).TaskInput(*task).Execute()
	check(err)
	tasks, _, err := api.TasksAPI.ListAgentTasks(ctx, agent.Id).Fields("status,skills").Execute()
	check(err)
	request := *fleet.NewAgentLeaseRequest(name)
	leases, _, err := api.LeasesAPI.LeaseAgentTasks(ctx, agent.Id).AgentLeaseRequest(request).Execute()
	check(err)
	lease := leases.Leases[0]
	result := *fleet.NewTaskResult(lease.Token, "completed")
	done, _, err := api.LeasesAPI.PutLeaseResult(ctx, lease.Id).TaskResult(result).Execute()
	check(err)
	found, _, err := api.RegistryAPI.GetCatalogue(ctx).Q("review").Limit(1).Execute()
	check(err)
	task.SetRetryOf("missing")
	_, _, err = api.TasksAPI.CreateTask(ctx, agent.Id).TaskInput(*task).Execute()
	var refused *fleet.GenericOpenAPIError
	if !errors.As(err, &refused) {
		panic(err)
	}
	body := refused.Model().(fleet.ErrorBody)
	fmt.Println(len(agents), tasks[0].GetStatus(), *tasks[0].Skills[0].String, lease.Task.Message, done.Status,
		len(found.Skills), body.Error)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
