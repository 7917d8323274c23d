import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.*;
import org.openapitools.client.auth.ApiKeyAuth;
import org.openapitools.client.model.*;

public class Main {
    public static void main(String[] args) throws Exception {
        String name = System.getenv("NAME");
        ApiClient api = new ApiClient().setBasePath(System.getenv("FLEET_URL"));
        ((ApiKeyAuth) api.getAuthentication("apiKeyHeader")).setApiKey(System.getenv("FLEET_KEY"));
        AgentsApi agentsApi = new AgentsApi(api);
        TasksApi tasksApi = new TasksApi(api);
        LeasesApi leasesApi = new LeasesApi(api);

        AgentInput.TypeEnum type = AgentInput.TypeEnum.fromValue(System.getenv("FLEET_TYPE"));
        String id = agentsApi.createAgent(new AgentInput().name(name).type(type), null).getId();
        List<AgentFields> agents =
            agentsApi.listAgents(null, null, null, null, "paused_at", null, null, null, name, null);
        TaskInput input = new TaskInput().message("Do it").addSkillsItem(new TaskFieldsSkillsInner("plan"));
        tasksApi.createTask(id, input, null);
        TaskFields task = tasksApi.listAgentTasks(id, null, null, null, null, "status,skills", null).get(0);
        Lease lease = leasesApi.leaseAgentTasks(id, new AgentLeaseRequest().workerId(name)).getLeases().get(0);
        TaskResult result = new TaskResult().token(lease.getToken()).status(TaskResult.StatusEnum.COMPLETED);
        Task done = leasesApi.putLeaseResult(lease.getId(), result);
        Catalogue found = new RegistryApi(api).getCatalogue(
            "review", null, null, null, null, null, null, null, null, null, null, null, null, 1, null, null, null, null, null);
        String code;
        try {
            tasksApi.createTask(id, new TaskInput().message("Again").retryOf("missing"), null);
            throw new Error("was not refused");
        } catch (ApiException refused) {
            code = ErrorBody.fromJson(refused.getResponseBody()).getError();
        }
        System.out.println(String.join(" ", "" + agents.size(), "" + task.getStatus(),
            task.getSkills().get(0).getString(), lease.getTask().getMessage(), "" + done.getStatus(),
            "" + found.getSkills().size(), code));
    }
}
