use openapi::apis::configuration::{ApiKey, Configuration};
use openapi::apis::{agents_api, leases_api, registry_api, tasks_api, Error};
use openapi::models::{agent_input, task_result, AgentInput, AgentLeaseRequest, TaskFieldsSkillsInner, TaskInput, TaskResult};
use std::env::var;

fn main() {
    let name = var("NAME").unwrap();
    let kind: agent_input::Type = serde_json::from_value(var("FLEET_TYPE").unwrap().into()).unwrap();
    let key = Some(ApiKey { prefix: None, key: var("FLEET_KEY").unwrap() });
    let api = Configuration { base_path: var("FLEET_URL").unwrap(), api_key: key, ..Configuration::new() };

    let id = agents_api::create_agent(&api, AgentInput::new(name.clone(), kind), None).unwrap().id;
    let agents =
        agents_api::list_agents(&api, None, None, None, None, Some("paused_at"), None, None, None, Some(&name), None).unwrap();
    let mut input = TaskInput::new("Do it".into());
    input.skills = Some(Some(vec![TaskFieldsSkillsInner::String("plan".into())]));
    tasks_api::create_task(&api, &id, input, None).unwrap();
    let tasks = tasks_api::list_agent_tasks(&api, &id, None, None, None, None, Some("status,skills"), None).unwrap();
    let skill = serde_json::to_value(&tasks[0].skills).unwrap()[0].clone();
    let leases = leases_api::lease_agent_tasks(&api, &id, AgentLeaseRequest::new(name)).unwrap().leases;
    let result = TaskResult::new(leases[0].token.clone(), task_result::Status::Completed);
    let done = leases_api::put_lease_result(&api, &leases[0].id, result).unwrap();
    let found = registry_api::get_catalogue(
        &api, Some("review"), None, None, None, None, None, None, None, None, None, None, None, None, Some(1), None, None, None, None, None,
    )
    .unwrap();
    let mut again = TaskInput::new("Again".into());
    again.retry_of = Some(Some("missing".into()));
    let code = match tasks_api::create_task(&api, &id, again, None) {
        Err(Error::ResponseError(refused)) => match refused.entity {
            // An untagged enum: the first of its shape.
            Some(tasks_api::CreateTaskError::Status400(body)) => body.error,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    let (task, lease) = (tasks[0].status.unwrap(), &leases[0].task);
    println!("{} {} {} {} {} {} {}", agents.len(), text(task), text(skill), lease.message, text(done.status), found.skills.len(), code);
}

fn text(value: impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().into()
}
