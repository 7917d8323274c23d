# Generated from the OpenAPI document by `npm run generate-python -w e2e`. Do not edit.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AuthenticatedUser(TypedDict):
    user: str
    """
    E-mail address.
    """


class Detail(TypedDict):
    """
    The error body of a 401, of an invalid API key, and of a record that does not exist.
    """

    detail: str


class FieldError(TypedDict):
    """
    An invalid field. `path` joins the keys with dots.
    """

    path: str
    code: str
    message: str


class RsaPublicKey(TypedDict):
    kty: Literal["RSA"]
    n: str
    e: str
    alg: Literal["RS256"]
    use: Literal["sig"]
    kid: str
    """
    RFC 7638 thumbprint.
    """


class EcPublicKey(TypedDict):
    kty: Literal["EC"]
    crv: Literal["P-256"]
    x: str
    y: str
    alg: Literal["ES256"]
    use: Literal["sig"]
    kid: str
    """
    RFC 7638 thumbprint.
    """


class AccessToken(TypedDict):
    access_token: str
    token_type: Literal["bearer"]
    expires_in: int
    """
    Seconds.
    """

    refresh_token: NotRequired[str]
    """
    With `offline_access`, and after a refresh.
    """

    scope: NotRequired[str]
    """
    If the request has one.
    """


class OAuthError(TypedDict):
    """
    The error body of RFC 6749 section 5.2.
    """

    error: str
    error_description: str


class TokenRequest(TypedDict):
    grant_type: NotRequired[Literal["password", "refresh_token"]]
    """
    `password` (the default) or `refresh_token`.
    """

    username: NotRequired[str]
    """
    For `password`: the e-mail address of the user.
    """

    password: NotRequired[str]
    """
    For `password`.
    """

    refresh_token: NotRequired[str]
    """
    For `refresh_token`.
    """

    scope: NotRequired[str]
    """
    Scopes, separated by blanks: narrows the token. With `offline_access`, there is a refresh token too; alone, it means all scopes of the role.
    """


class RevocationRequest(TypedDict):
    token: str
    """
    An access or refresh token.
    """

    token_type_hint: NotRequired[str]
    """
    Ignored.
    """


class SessionInput(TypedDict):
    username: str
    """
    The e-mail address of the user.
    """

    password: str


class CurrentSession(TypedDict):
    user: str
    """
    The e-mail address, or the name of the key or external user.
    """

    role: Literal["viewer", "worker", "approver", "operator", "admin"] | None
    """
    Null for keys and external users.
    """

    scopes: list[
        Literal[
            "agents:read",
            "agents:write",
            "tasks:read",
            "tasks:write",
            "tasks:answer",
            "leases:write",
            "events:read",
            "budgets:admin",
            "registry:admin",
            "audit:read",
            "users:admin",
        ]
    ]
    expires_at: str | None
    """
    The end of the session in any case; null for credentials without one.
    """


class Session(TypedDict):
    id: str
    """
    A UUIDv7, given by the service.
    """

    kind: Literal["refresh", "browser"]
    """
    `refresh`: a refresh token with its successors. `browser`: signed in by `POST /session`.
    """

    created_at: str
    last_used_at: str
    """
    To within a minute.
    """

    address: str
    """
    The IP address that it was made from.
    """

    user_agent: str
    """
    The `User-Agent` that it was made with, at most 200 characters.
    """


class User(TypedDict):
    id: str
    """
    A UUIDv7, given by the service.
    """

    email: str
    """
    In lower case.
    """

    role: Literal["viewer", "worker", "approver", "operator", "admin"]
    """
    Decides what the user, and the keys of the user, may do.
    """

    disabled: bool
    """
    A disabled user cannot sign in, and has no valid tokens and keys.
    """

    created_at: str
    last_sign_in_at: str | None


class UserInput(TypedDict):
    email: str
    """
    Case does not matter.
    """

    role: Literal["viewer", "worker", "approver", "operator", "admin"]
    """
    Decides what the user, and the keys of the user, may do.
    """

    password: NotRequired[str]
    """
    Taken in NFC, else exactly as sent. Not a frequent password, nor the e-mail address.
    """


class UserReplacement(TypedDict):
    role: Literal["viewer", "worker", "approver", "operator", "admin"]
    """
    Decides what the user, and the keys of the user, may do.
    """

    disabled: bool


class PasswordChange(TypedDict):
    current_password: str
    new_password: str
    """
    Taken in NFC, else exactly as sent. Not a frequent password, nor the e-mail address.
    """


class PasswordReset(TypedDict):
    code: str
    expires_at: str


class NewPassword(TypedDict):
    new_password: str
    """
    Taken in NFC, else exactly as sent. Not a frequent password, nor the e-mail address.
    """


class ApiKey(TypedDict):
    id: str
    """
    Given by the service.
    """

    name: str
    scopes: list[
        Literal[
            "agents:read",
            "agents:write",
            "tasks:read",
            "tasks:write",
            "tasks:answer",
            "leases:write",
            "events:read",
            "budgets:admin",
            "registry:admin",
            "audit:read",
            "users:admin",
        ]
    ]
    """
    What the key may do now: a role of its owner that shrinks, shrinks the key.
    """

    agent_ids: list[str] | None
    """
    The only agents of the key; null: all.
    """

    owner: str | None
    """
    The e-mail address of the user who made it, else the principal; null for a key of `API_KEYS`.
    """

    source: Literal["api", "environment"]
    """
    `environment`: a key of `API_KEYS`.
    """

    created_at: str | None
    expires_at: str | None
    """
    Expired keys are listed for another 30 days.
    """

    last_used_at: str | None
    """
    To within a minute; null: never.
    """

    rate_limit_per_minute: int | None


class CreatedApiKey(TypedDict):
    id: str
    """
    Given by the service.
    """

    name: str
    scopes: list[
        Literal[
            "agents:read",
            "agents:write",
            "tasks:read",
            "tasks:write",
            "tasks:answer",
            "leases:write",
            "events:read",
            "budgets:admin",
            "registry:admin",
            "audit:read",
            "users:admin",
        ]
    ]
    """
    What the key may do now: a role of its owner that shrinks, shrinks the key.
    """

    agent_ids: list[str] | None
    """
    The only agents of the key; null: all.
    """

    owner: str | None
    """
    The e-mail address of the user who made it, else the principal; null for a key of `API_KEYS`.
    """

    source: Literal["api", "environment"]
    """
    `environment`: a key of `API_KEYS`.
    """

    created_at: str | None
    expires_at: str | None
    """
    Expired keys are listed for another 30 days.
    """

    last_used_at: str | None
    """
    To within a minute; null: never.
    """

    rate_limit_per_minute: int | None
    key: str
    """
    The key, for the header `X-API-Key`. It is shown this once.
    """


AgentId: TypeAlias = str
"""
Id of an agent.
"""


class ApiKeyInput(TypedDict):
    name: str
    """
    Need not be unique.
    """

    role: NotRequired[
        Literal["viewer", "worker", "approver", "operator", "admin"] | None
    ]
    """
    The scopes of this role; instead of `scopes`.
    """

    scopes: NotRequired[
        list[
            Literal[
                "agents:read",
                "agents:write",
                "tasks:read",
                "tasks:write",
                "tasks:answer",
                "leases:write",
                "events:read",
                "budgets:admin",
                "registry:admin",
                "audit:read",
                "users:admin",
            ]
        ]
        | None
    ]
    """
    What the key may do; instead of `role`. At most the scopes of the caller.
    """

    agent_ids: NotRequired[list[AgentId] | None]
    """
    The only agents that the key may see and change. Default: all.
    """

    expires_at: NotRequired[str | None]
    """
    At most 366 days ahead. Default: 90 days ahead.
    """

    rate_limit_per_minute: NotRequired[int | None]
    """
    Requests per minute. It can only lower the limit of the installation.
    """


class ApiKeyRotation(TypedDict):
    grace_seconds: NotRequired[int]


class AuditActor(TypedDict):
    """
    Who did it. `anonymous`: nobody, or an account that could not sign in.
    """

    type: Literal["user", "key", "oidc", "anonymous"]
    id: str | None
    name: str | None
    """
    The e-mail address of the user, or the name of the key.
    """


class AuditTarget(TypedDict):
    type: str
    id: str


Tag: TypeAlias = str


Require: TypeAlias = str


AfterItem: TypeAlias = str


class RetryPolicyInput(TypedDict):
    """
    The delay of a retry after a failed attempt.
    """

    strategy: NotRequired[Literal["fixed", "exponential"]]
    delay_seconds: NotRequired[int]
    max_delay_seconds: NotRequired[int]
    jitter: NotRequired[float]


class PinnedSkill(TypedDict):
    id: str
    digest: str
    """
    Of the exact bytes of its SKILL.md.
    """


class WorkspaceInput(TypedDict):
    repository: str
    """
    An http, https, ssh, git or file URL, or `user@host:path`. Without credentials, which the worker has, a query or a fragment.
    """

    ref: NotRequired[str | None]
    """
    A branch, a tag or a commit. Default: that of the repository.
    """


class MaxCost(TypedDict):
    """
    What all attempts together may cost.
    """

    amount: float
    """
    Six decimals are kept.
    """

    currency: Literal["USD"]


AgentState: TypeAlias = Literal["idle", "active", "waiting", "error", "offline"]
"""
Set by the service: `active` while a task runs, `waiting` while none runs and one is `input_required`, afterwards by the outcome of the last running task.
"""


class SecretReference(TypedDict):
    secret: str
    """
    Name of a secret that the operator has given the worker.
    """

    prefix: NotRequired[str]
    """
    Stands before its value, as in `Bearer `.
    """


class Permissions(TypedDict):
    mode: str | None
    allow: list[str]
    ask: list[str]
    deny: list[str]


class Workspace(TypedDict):
    repository: str
    ref: str | None


class Limits(TypedDict):
    timeout_seconds: int | None
    max_attempts: int | None
    max_cost: MaxCost | None
    max_turns: int | None


class RetryPolicy(TypedDict):
    strategy: Literal["fixed", "exponential"]
    delay_seconds: int
    max_delay_seconds: int
    jitter: float


class Budget(TypedDict):
    amount: float
    currency: Literal["USD"]
    period: str
    time_zone: str


class McpServerByUrl(TypedDict):
    name: str
    url: str
    headers: NotRequired[dict[str, str | SecretReference]]


Arg: TypeAlias = str


class McpServerByCommand(TypedDict):
    name: str
    command: str
    args: NotRequired[list[Arg]]
    env: NotRequired[dict[str, str | SecretReference]]


AllowItem: TypeAlias = str


AskItem: TypeAlias = str


DenyItem: TypeAlias = str


class PermissionsInput(TypedDict):
    """
    What the agent may do: rules `Tool(pattern)`, as `Bash(git *)`.
    """

    mode: NotRequired[str | None]
    """
    Null: the worker's.
    """

    allow: NotRequired[list[AllowItem]]
    ask: NotRequired[list[AskItem]]
    """
    What a person is asked about, as an input request.
    """

    deny: NotRequired[list[DenyItem]]


class LimitsInput(TypedDict):
    timeout_seconds: NotRequired[int | None]
    max_attempts: NotRequired[int | None]
    max_cost: NotRequired[MaxCost | None]
    max_turns: NotRequired[int | None]


class BudgetInput(TypedDict):
    amount: float
    """
    Six decimals are kept. 0: nothing is leased.
    """

    currency: NotRequired[Literal["USD"]]
    period: Literal["day", "week", "month", "total"]
    time_zone: NotRequired[str]
    """
    A name of the IANA time zone database, in which the period begins.
    """


class Agent(TypedDict):
    id: str
    """
    A UUIDv7, given by the service.
    """

    name: str
    type: str
    status: AgentState
    created_at: str


class AgentInput(TypedDict):
    name: str
    """
    Need not be unique.
    """

    type: str


class Pause(TypedDict):
    paused_at: str
    """
    Start of the pause.
    """

    reason: str | None


class PauseInput(TypedDict):
    reason: NotRequired[str | None]


class DefinitionCreator(TypedDict):
    id: str
    name: str


class TaskError(TypedDict):
    code: str
    message: str
    retryable: bool


class Progress(TypedDict):
    """
    As the worker reported it; `percent` is 0 to 100.
    """

    percent: float | None
    message: str | None


class Usage(TypedDict):
    """
    Tokens of language models.
    """

    input_tokens: int
    cached_input_tokens: int
    """
    Part of `input_tokens`.
    """

    output_tokens: int
    reasoning_tokens: int
    """
    Part of `output_tokens`.
    """


class Cost(TypedDict):
    amount: float
    """
    At most six decimals.
    """

    currency: Literal["USD"]
    estimated: bool
    """
    Whether any part was computed from a price list.
    """


class Creator(TypedDict):
    id: str
    name: str


class Task(TypedDict):
    id: str
    agent_id: str
    message: str
    input: Any
    """
    As the client gave it, else null.
    """

    status: Literal[
        "pending", "running", "input_required", "completed", "failed", "cancelled"
    ]
    priority: int
    scheduled_at: str | None
    expires_at: str
    timeout_seconds: int
    max_attempts: int
    retry_policy: RetryPolicy
    attempt: int
    """
    0 before the first lease.
    """

    result: Any
    """
    As the worker reported it, else null.
    """

    error: TaskError | None
    """
    The error of the last failed attempt, or why the task ended.
    """

    progress: Progress | None
    """
    Progress of the running attempt.
    """

    tags: list[str] | None
    metadata: dict[str, Any] | None
    retry_of: str | None
    skills: list[str | PinnedSkill] | None
    workspace: Workspace | None
    model: str | None
    output_schema: dict[str, Any] | None
    max_cost: MaxCost | None
    continue_of: str | None
    continued_by: NotRequired[list[str]]
    """
    Tasks that continue this one, at most 100. Absent in older tasks.
    """

    usage: Usage | None
    """
    Of all ended attempts, released ones included; null while none has reported any.
    """

    cost: Cost | None
    """
    The same of their cost.
    """

    traceparent: str | None
    """
    W3C Trace Context of the request that created the task, for the spans of its worker.
    """

    agent_version: NotRequired[int | None]
    """
    The version of the agent's definition that holds for it. Absent in older tasks.
    """

    requires: NotRequired[list[str] | None]
    """
    As the client gave it. Absent in older tasks.
    """

    concurrency_key: NotRequired[str | None]
    """
    Absent in older tasks.
    """

    after: NotRequired[list[str] | None]
    """
    As the client gave it. Absent in older tasks.
    """

    after_failure: NotRequired[Literal["fail", "run"] | None]
    """
    Null without `after`.
    """

    created_by: NotRequired[Creator | None]
    """
    The user, whose name is an e-mail address, or the API key that created it. Absent in older tasks.
    """

    worker_id: str | None
    """
    The current or last worker.
    """

    cancel_requested_at: str | None
    next_attempt_at: str | None
    """
    Earliest start of the retry.
    """

    started_at: str | None
    """
    Start of the current or last attempt.
    """

    completed_at: str | None
    created_at: str
    updated_at: str


class TaskInput(TypedDict):
    message: str
    """
    The instructions of the task.
    """

    input: NotRequired[Any]
    """
    Any JSON, at most 256 KiB.
    """

    priority: NotRequired[int]
    """
    1 is the highest.
    """

    scheduled_at: NotRequired[str | None]
    """
    Earliest start; up to 30 days ahead.
    """

    expires_at: NotRequired[str | None]
    """
    The task fails unless it has started by then. Default: 24 h after creation or `scheduled_at`.
    """

    timeout_seconds: NotRequired[int]
    """
    Limit of one attempt. Default: that of the agent's definition, else this one.
    """

    max_attempts: NotRequired[int]
    retry_policy: NotRequired[RetryPolicyInput]
    tags: NotRequired[list[Tag] | None]
    metadata: NotRequired[dict[str, Any] | None]
    """
    At most 16 KiB.
    """

    requires: NotRequired[list[Require] | None]
    """
    Labels that a worker must have, besides those of the agent's definition.
    """

    concurrency_key: NotRequired[str | None]
    """
    Of the tasks of an agent with the same key, at most one runs at a time.
    """

    retry_of: NotRequired[str | None]
    """
    The ended task of the same agent that this one retries.
    """

    after: NotRequired[list[AfterItem] | None]
    """
    Tasks of any agents that it comes after: it starts when all have ended.
    """

    after_failure: NotRequired[Literal["fail", "run"] | None]
    """
    What it does when one of them does not complete: `fail`, with the code `dependency_failed`, or `run`.
    """

    skills: NotRequired[list[str | PinnedSkill] | None]
    """
    Skills of the registry that the agent gets.
    """

    workspace: NotRequired[WorkspaceInput | None]
    """
    The git repository in whose clone the agent works.
    """

    model: NotRequired[str | None]
    """
    The model to use. Default: that of the worker.
    """

    output_schema: NotRequired[dict[str, Any] | None]
    """
    JSON Schema of the `output` in the result: draft 2020-12, or 7 by its `$schema`. At most 64 KiB and 64 levels. Each `$ref` begins with `#`. Patterns have at most 1,024 characters.
    """

    max_cost: NotRequired[MaxCost | None]
    """
    What all attempts together may cost. From then on, a failed attempt is not retried.
    """

    continue_of: NotRequired[str | None]
    """
    The ended task of the same agent whose session this one continues. Its worker is preferred.
    """


class CreatedTask(TypedDict):
    status: Literal[201]
    task: Task


class TaskBatch(TypedDict):
    tasks: list[TaskInput]


class Cancellation(TypedDict):
    reason: NotRequired[str | None]


class RetryInput(TypedDict):
    message: NotRequired[str]
    """
    Instead of the message of the ended task.
    """

    input: NotRequired[Any]
    """
    Instead of the input of the ended task.
    """

    after: NotRequired[list[AfterItem]]
    """
    Tasks that it comes after, in place of those that have not completed; those that have completed are taken over.
    """

    with_dependencies: NotRequired[bool]
    """
    Whether what it came after and has not completed is retried, too, and so on: at most 500 tasks.
    """

    agent_version: NotRequired[Literal["latest"]]
    """
    `latest`: the current version of the agent's definition, not that of the ended task.
    """


class Attempt(TypedDict):
    number: int
    worker_id: str
    started_at: str
    ended_at: str | None
    outcome: Literal[
        "running",
        "completed",
        "failed",
        "cancelled",
        "lease_expired",
        "timeout",
        "released",
        "suspended",
        "parked",
    ]
    error: TaskError | None
    usage: Usage | None
    """
    As the worker last reported it; null when it did not.
    """

    cost: Cost | None
    """
    The same.
    """

    model: str | None
    """
    The model that was used. The same.
    """


class GraphNode(TypedDict):
    task_id: str
    agent_id: str
    message: str
    """
    The first 200 characters of it.
    """

    status: Literal[
        "pending", "running", "input_required", "completed", "failed", "cancelled"
    ]
    after: list[str]
    """
    Tasks of the graph that it comes after.
    """


class InputTool(TypedDict):
    name: str
    input: Any
    digest: str
    """
    `sha256:` and that of the canonical form (RFC 8785) of `{name, input}`.
    """


class InputOption(TypedDict):
    id: str
    label: str
    description: str | None
    role: Literal["allow", "deny", "allow_always", "other"]


class InputDefault(TypedDict):
    """
    The answer if nobody answers in time.
    """

    option_ids: list[str] | None
    text: str | None
    values: dict[str, Any] | None
    tool_input: NotRequired[Any]


class Answerer(TypedDict):
    id: str
    name: str


OptionId: TypeAlias = str


class InputAnswerInput(TypedDict):
    option_ids: NotRequired[list[OptionId] | None]
    """
    Ids of the chosen options: one, or with `multiple` several.
    """

    text: NotRequired[str | None]
    """
    Where the request has `allow_text`.
    """

    values: NotRequired[dict[str, Any] | None]
    """
    As the `schema` of the request says.
    """

    tool_input: NotRequired[Any]
    """
    A changed input, where the request is `input_editable`.
    """


class MessageSender(TypedDict):
    id: str
    name: str


class MessageInput(TypedDict):
    text: str
    mode: NotRequired[Literal["queue", "steer", "interrupt"]]


class Interruption(TypedDict):
    request_id: str | None
    """
    The request that asks what now; null before it is open.
    """


class InputToolInput(TypedDict):
    """
    What runs if a person allows it.
    """

    name: str
    input: NotRequired[Any]
    """
    Any JSON, at most 64 KiB.
    """


class InputOptionInput(TypedDict):
    id: str
    label: str
    description: NotRequired[str | None]
    role: NotRequired[Literal["allow", "deny", "allow_always", "other"]]
    """
    What it decides; `allow_always` only for this task.
    """


MessageReport = TypedDict(
    "MessageReport",
    {
        "token": str,
        "state": Literal["delivered", "dropped"],
        "as": NotRequired[Literal["prompt", "queue", "steer", "interrupt"] | None],
    },
)


class InterruptionConfirmation(TypedDict):
    token: str
    """
    The token of the lease.
    """


class SuspendedSessionInput(TypedDict):
    runtime: str
    id: str
    """
    As the runtime names it.
    """

    data: NotRequired[str | None]
    """
    Its files, base64 of at most 1 MiB; without it only this worker can go on.
    """


class Delta(TypedDict):
    token: str
    """
    The token of the lease.
    """

    call_id: NotRequired[str | None]
    """
    The tool call whose output it is.
    """

    text: str
    """
    At most 16 KiB as UTF-8.
    """


class Waiting(TypedDict):
    reason: (
        Literal[
            "paused",
            "dependencies",
            "scheduled",
            "retry_delay",
            "provider_quota",
            "budget",
            "concurrency",
            "reserved",
            "no_worker",
            "in_line",
        ]
        | None
    )
    """
    Of several reasons the first of these. `dependencies`: tasks of its `after` have not ended. `provider_quota`: it is parked until its provider takes calls again. `budget`: one of its agent, its type, its creator or the fleet is used up. `concurrency`: as many tasks of the agent run as its `max_concurrency` allows, or another one of the same `concurrency_key` runs or goes before. `reserved`: it continues a task, and only the worker of that one may start it for 60 s. `no_worker`: no worker that has the labels of the task and accepts what it needs has requested tasks of the agent or its type for 60 s. Null if the task is not pending.
    """

    since: str | None
    """
    When the reason began to hold; with `no_worker` the last such request, or null.
    """

    on: NotRequired[list[str]]
    """
    With `dependencies`: the tasks that it waits for.
    """

    worker_id: NotRequired[str]
    """
    With `reserved`: the worker.
    """

    until: NotRequired[str]
    """
    With `reserved`: from then on any worker may start it. With `provider_quota`: it starts then. With `budget`: the end of the period, absent without one, or, if it is that of its creator, when this is checked again.
    """

    accepts: NotRequired[list[str]]
    """
    With `no_worker`: what a worker must accept to get the task.
    """

    missing_labels: NotRequired[list[str]]
    """
    With `no_worker`: the labels that no worker has, or those that no one worker has all of.
    """

    key: NotRequired[str]
    """
    With `concurrency`: the key, if another task of it goes before.
    """

    ahead: NotRequired[int]
    """
    With `in_line`: tasks of the agent that go before.
    """


class LeaseDependency(TypedDict):
    task_id: str
    key: str | None
    """
    Its key in the batch that created both, else null.
    """

    status: Literal["completed", "failed", "cancelled", "deleted"]
    result: NotRequired[Any]
    """
    If it has completed. Absent when it was deleted since, or when the results of all leases of the request have more than 1 MiB with it.
    """


class SuspendedSession(TypedDict):
    runtime: str
    id: str
    data: str | None


Label: TypeAlias = str


class ProviderPauseInput(TypedDict):
    provider: Literal["anthropic", "openai", "google"]
    until: str
    reason: NotRequired[str | None]


class LeaseRequest(TypedDict):
    worker_id: str
    """
    Name of the worker, for people.
    """

    accepts: NotRequired[
        list[Literal["messages", "steer", "interrupt", "input", "definitions"]]
    ]
    """
    What the worker takes: `messages` of people, `steer` and `interrupt` during a turn, answers to `input` requests, `definitions` of agents. It gets no task that needs what it does not take.
    """

    labels: NotRequired[list[Label]]
    """
    What the worker has. It gets no task that requires a label which is not among these.
    """

    paused: NotRequired[list[ProviderPauseInput]]
    """
    Providers that take no calls of the worker until a time. Until then it gets no task of their type of agents (`anthropic` claude, `openai` gpt, `google` gemini), nor one whose definition has their runtime.
    """

    paused_until: NotRequired[str | None]
    """
    Without `paused`: the worker gets no task at all until then.
    """

    pause_reason: NotRequired[str | None]
    max_tasks: NotRequired[int]
    """
    Maximum number of tasks.
    """

    wait_seconds: NotRequired[int]
    """
    Seconds to wait for a first task.
    """

    lease_seconds: NotRequired[int]
    """
    Seconds until the lease expires without a heartbeat.
    """

    types: NotRequired[list[str]]
    """
    Default: all types.
    """


class LeaseInfo(TypedDict):
    id: str
    agent_id: str
    task_id: str
    worker_id: str
    attempt: int
    """
    Number of the attempt, from 1.
    """

    started_at: str
    expires_at: str
    """
    The lease expires at this time unless a heartbeat extends it.
    """

    last_heartbeat_at: str | None


class CostLeft(TypedDict):
    amount: float
    currency: Literal["USD"]


class ProgressInput(TypedDict):
    percent: NotRequired[float | None]
    message: NotRequired[str | None]


class UsageInput(TypedDict):
    input_tokens: int
    cached_input_tokens: NotRequired[int]
    """
    Those of `input_tokens` read from a cache.
    """

    output_tokens: int
    reasoning_tokens: NotRequired[int]
    """
    Those of `output_tokens` spent on reasoning.
    """


class CostInput(TypedDict):
    amount: float
    """
    Six decimals are kept.
    """

    currency: Literal["USD"]
    estimated: NotRequired[bool]
    """
    Computed from a price list.
    """


class TaskErrorInput(TypedDict):
    code: str
    message: str
    retryable: NotRequired[bool]
    """
    Whether another attempt may succeed. If false, the task ends at once.
    """

    retry_at: NotRequired[str | None]
    """
    With the code `rate_limited`: when the provider takes calls again. The task is parked until then, for 7 days at most, and the attempt does not count; 50 times at most.
    """


class LogEntryInput(TypedDict):
    at: NotRequired[str | None]
    """
    Default: now.
    """

    level: NotRequired[Literal["debug", "info", "warn", "error"]]
    stream: NotRequired[Literal["stdout", "stderr", "agent", "system"] | None]
    type: NotRequired[
        Literal[
            "log",
            "text",
            "thinking",
            "tool_call",
            "tool_result",
            "file_edit",
            "plan",
            "usage",
            "session",
        ]
    ]
    text: NotRequired[str]
    """
    At most 16 KiB as UTF-8. May be empty; only of another type than `log` may it be absent. A lone surrogate becomes U+FFFD.
    """

    data: NotRequired[dict[str, Any] | None]
    """
    The fields of the type: at most 16 KiB as JSON, 64 KiB of `tool_call` and `file_edit`. See `docs/contract.md`.
    """


class LogEntry(TypedDict):
    id: int
    """
    Number of the entry in its task, from 1, without gaps.
    """

    at: str
    level: Literal["debug", "info", "warn", "error"]
    stream: Literal["stdout", "stderr", "agent", "system"] | None
    type: Literal[
        "log",
        "text",
        "thinking",
        "tool_call",
        "tool_result",
        "file_edit",
        "plan",
        "usage",
        "session",
        "message",
        "input",
    ]
    text: str
    data: dict[str, Any] | None
    """
    The fields of the type; null of `log`.
    """


class BulkActionPreview(TypedDict):
    matched: int


class BulkActionCreated(TypedDict):
    id: str
    matched: int


StatusItem: TypeAlias = str


class TaskFilter(TypedDict):
    """
    The conditions of `GET /tasks`, at least one. A task must match all.
    """

    status: NotRequired[list[StatusItem]]
    """
    Only tasks with one of these statuses.
    """

    type: NotRequired[str]
    """
    Only tasks whose agent had this type at their creation.
    """

    agent_id: NotRequired[str]
    """
    Only tasks of this agent.
    """

    tag: NotRequired[str]
    """
    Only tasks with this tag.
    """

    worker_id: NotRequired[str]
    """
    Only tasks whose current or last worker is this one.
    """

    id: NotRequired[str]
    """
    Only the task with this id.
    """

    created_after: NotRequired[str | None]
    """
    Only tasks created after this time.
    """

    created_before: NotRequired[str | None]
    """
    Only tasks created before this time.
    """


class BulkActionFailure(TypedDict):
    agent_id: str
    task_id: str
    code: str


ScopeBudget = TypedDict(
    "ScopeBudget",
    {
        "scope": str,
        "amount": float,
        "currency": Literal["USD"],
        "period": str,
        "time_zone": str,
        "from": str | None,
        "until": str | None,
        "spent": float,
        "reached": bool,
    },
)


class WorkerPause(TypedDict):
    provider: str | None
    """
    Null: it takes no tasks at all.
    """

    until: str
    reason: str | None


class AgentStatusCounts(TypedDict):
    idle: int
    active: int
    waiting: int
    error: int
    offline: int


class TaskStatusCounts(TypedDict):
    pending: int
    running: int
    input_required: int
    completed: int
    failed: int
    cancelled: int


class OldestPending(TypedDict):
    type: str
    agent_id: str
    task_id: str
    created_at: str


class Spent(TypedDict):
    attempts: int
    """
    Ended attempts that have reported usage or cost.
    """

    input_tokens: int
    cached_input_tokens: int
    """
    Part of `input_tokens`.
    """

    output_tokens: int
    reasoning_tokens: int
    """
    Part of `output_tokens`.
    """

    cost: Cost


class ModelSpent(TypedDict):
    model: str
    attempts: int
    """
    Ended attempts that have reported usage or cost.
    """

    input_tokens: int
    cached_input_tokens: int
    """
    Part of `input_tokens`.
    """

    output_tokens: int
    reasoning_tokens: int
    """
    Part of `output_tokens`.
    """

    cost: Cost


class AgentSpent(TypedDict):
    agent_id: str
    attempts: int
    """
    Ended attempts that have reported usage or cost.
    """

    input_tokens: int
    cached_input_tokens: int
    """
    Part of `input_tokens`.
    """

    output_tokens: int
    reasoning_tokens: int
    """
    Part of `output_tokens`.
    """

    cost: Cost


class AgentUsage(TypedDict):
    total: Spent
    by_model: list[ModelSpent]
    """
    By the name that workers reported, the highest cost first. The first 98 names count; `other` has all further ones, and `unknown` the attempts without one.
    """


class Percentiles(TypedDict):
    """
    In ms, at most 5 % off.
    """

    p50: float
    p95: float


class SpendGroup(TypedDict):
    key: str | None
    attempts: int
    """
    Ended attempts that have reported usage or cost.
    """

    input_tokens: int
    cached_input_tokens: int
    """
    Part of `input_tokens`.
    """

    output_tokens: int
    reasoning_tokens: int
    """
    Part of `output_tokens`.
    """

    cost: Cost


class Event(TypedDict):
    id: str
    """
    Increases within its stream. Resume after it by `after` or `Last-Event-ID`.
    """

    type: Literal[
        "agent.created",
        "agent.replaced",
        "agent.deleted",
        "agent.status",
        "agent.paused",
        "agent.resumed",
        "agent.definition_replaced",
        "agent.definition_deleted",
        "budget.warning",
        "budget.reached",
        "task.created",
        "task.replaced",
        "task.leased",
        "task.progress",
        "task.released",
        "task.retry",
        "task.parked",
        "task.completed",
        "task.failed",
        "task.input_required",
        "task.input_answered",
        "task.input_expired",
        "task.input_withdrawn",
        "task.suspended",
        "task.cancel_requested",
        "task.cancelled",
        "task.deleted",
        "resync",
    ]
    """
    `resync`: events before this one are no longer kept; read the records again.
    """

    agent_id: NotRequired[str]
    task_id: NotRequired[str]
    status: NotRequired[str]
    """
    Status of the task or agent after the event.
    """

    at: str
    data: NotRequired[dict[str, Any]]


class SkillSource(TypedDict):
    """
    Location of the skill. Parts that upstream does not name are null.
    """

    repo: str | None
    """
    Repository, mostly `owner/name`.
    """

    path: str | None
    """
    Folder or file within the repository.
    """

    ref: str | None
    """
    Branch, tag or commit.
    """

    url: str | None
    """
    http or https URL. A skill whose repository is not on GitHub always has one.
    """


class FacetValue(TypedDict):
    value: str
    count: int


class Skill(TypedDict):
    id: str
    """
    URL-safe, without a slash, unique, and stable across refreshes.
    """

    name: str
    """
    As in the upstream registry.
    """

    display_name: str
    """
    Title; the name if upstream has none.
    """

    description: str
    """
    Empty if upstream has none.
    """

    kind: Literal[
        "skill", "plugin", "mcp_server", "agent", "hook", "setting", "command"
    ]
    """
    What it is. Only skills and plugins, which may contain skills, are listed unless `kind` is given.
    """

    category: str | None
    """
    The first of `categories`; null if there are none.
    """

    categories: list[str]
    """
    Ids of categories of `/api/categories`.
    """

    tags: list[str]
    author: str | None
    """
    As in the upstream registry, else the owner of the repository.
    """

    source: SkillSource
    license: str | None
    """
    SPDX identifier or a name.
    """

    version: str | None
    """
    As in the upstream registry.
    """

    compatibility: str | None
    """
    Requirements of the skill, as in the upstream registry.
    """

    stars: int | None
    """
    Stars of the repository; null if unknown.
    """

    downloads: int | None
    """
    Downloads or installations; null if unknown.
    """

    featured: bool
    updated_at: str | None
    """
    RFC 3339, UTC.
    """

    digest: str | None
    """
    `sha256:` and 64 hexadecimal digits of the content, if upstream has one.
    """

    digest_of: Literal["skill_md", "folder"] | None
    """
    What the digest covers: the SKILL.md, or the folder or archive of the skill.
    """

    install: str | None
    """
    Installation command of upstream, else derived from repository and name. Read it before you run it.
    """

    valid: bool
    """
    Whether the skill follows the rules of the Agent Skills specification.
    """

    issues: list[
        Literal[
            "name_too_long",
            "name_characters",
            "name_hyphens",
            "description_missing",
            "description_too_long",
            "compatibility_too_long",
        ]
    ]
    """
    The rules that the skill breaks; empty if it is valid.
    """

    registries: list[str]
    """
    The sources that list this skill, with their names in `/api/registry/status`.
    """

    extra: dict[str, Any]
    """
    Other upstream fields; long values are truncated.
    """


class WellKnownSkill(TypedDict):
    name: str
    type: Literal["skill-md"]
    """
    Type of the file at `url`: a SKILL.md.
    """

    description: str
    url: str
    """
    Address of the SKILL.md; may be relative to the index.
    """

    digest: str
    """
    `sha256:` and the digest of the SKILL.md.
    """


class FoundSkill(TypedDict):
    id: str
    """
    The `id` of the skill in `/api/skills`.
    """

    name: str
    installs: int
    """
    `downloads` of the skill; 0 if unknown.
    """

    source: str
    """
    Repository `owner/name` on GitHub; empty if it is elsewhere.
    """


class Category(TypedDict):
    id: str
    """
    The value of `category` in a skill.
    """

    name: str
    """
    Name from the source, or the id if the source declares none.
    """

    description: str | None
    count: int
    """
    Number of skills in the category, counted by the registry.
    """


class TagModel(TypedDict):
    name: str
    count: int


class Suggestion(TypedDict):
    text: str
    """
    Suggested search text.
    """

    kind: Literal["skill", "tag", "author", "category"]
    """
    Kind of the suggestion.
    """

    id: NotRequired[str]
    """
    Id of the skill, if the suggestion is a skill.
    """

    count: NotRequired[int]
    """
    Number of skills that have it, if the suggestion is not a skill.
    """


Changes = TypedDict(
    "Changes",
    {
        "from": str,
        "to": str,
        "latest": str,
        "added": list[str],
        "changed": list[str],
        "removed": list[str],
    },
)


class RegistryFault(TypedDict):
    code: Literal[
        "timeout",
        "unreachable",
        "http_status",
        "rate_limited",
        "redirect",
        "private_address",
        "too_large",
        "truncated",
        "wrong_digest",
        "bad_manifest",
        "unreadable_file",
        "build_failed",
        "not_json",
        "html",
        "unknown_shape",
        "empty",
        "shrunk",
        "mostly_rejected",
        "wrong_count",
    ]
    message: str
    at: str
    """
    Time of the error.
    """


class RegistryCounts(TypedDict):
    skills: int
    categories: int
    tags: int
    rejected: int
    warnings: int


class RefusedSnapshot(TypedDict):
    code: Literal[
        "timeout",
        "unreachable",
        "http_status",
        "rate_limited",
        "redirect",
        "private_address",
        "too_large",
        "truncated",
        "wrong_digest",
        "bad_manifest",
        "unreadable_file",
        "build_failed",
        "not_json",
        "html",
        "unknown_shape",
        "empty",
        "shrunk",
        "mostly_rejected",
        "wrong_count",
    ]
    message: str
    at: str
    """
    Time of the error.
    """

    snapshot_id: str


class RejectedRecord(TypedDict):
    index: int
    id: NotRequired[str]
    source: NotRequired[str]
    code: Literal["not_an_object", "no_name_and_id", "record_too_large"]
    message: str


class RejectionCount(TypedDict):
    code: Literal["not_an_object", "no_name_and_id", "record_too_large"]
    count: int


class WarningCount(TypedDict):
    code: Literal[
        "id_missing",
        "id_doubled",
        "name_missing",
        "description_missing",
        "category_missing",
        "tags_missing",
        "author_from_repository",
        "text_cut",
        "tag_unusable",
        "field_unusable",
        "path_unsafe",
        "url_unsafe",
        "key_unsafe",
        "extra_cut",
        "digest_unusable",
        "duplicate_merged",
        "incomplete",
    ]
    count: int


class RegistryDuplicates(TypedDict):
    """
    Duplicate records that were merged into another skill: their number, and the ids of the first 100 such skills.
    """

    count: int
    ids: list[str]


class Health(TypedDict):
    status: Literal["ok"]


class Readiness(TypedDict):
    """
    Whether the gateway can serve requests, with the state of each dependency.
    """

    status: Literal["ready", "not_ready", "stopping"]
    checks: dict[str, str]
    """
    `ok`, or what is wrong, by dependency.
    """


class OpenApiDocument(TypedDict):
    openapi: str
    info: dict[str, Any]
    paths: dict[str, Any]


class GetSessionParametersQuery(TypedDict):
    optional: NotRequired[bool]
    """
    `true`: null, not 401, without credentials or a valid cookie.
    """


GetSessionResponse: TypeAlias = CurrentSession | None


class ListSessionsParametersQuery(TypedDict):
    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """

    user_id: NotRequired[str]
    """
    Another user's sessions, with the scope `users:admin`.
    """


ListSessionsResponse: TypeAlias = list[Session]


class ListUsersParametersQuery(TypedDict):
    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """


ListUsersResponse: TypeAlias = list[User]


class ListApiKeysParametersQuery(TypedDict):
    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """


ListApiKeysResponse: TypeAlias = list[ApiKey]


class ListAuditEventsParametersQuery(TypedDict):
    after: NotRequired[str]
    """
    Only events after the one with this id, which may no longer be kept. With `order=desc`, only older ones.
    """

    order: NotRequired[Literal["asc", "desc"]]
    """
    `asc`: oldest first. `desc`: newest first.
    """

    limit: NotRequired[int]
    """
    Maximum number of events. Default: 100; in an export all.
    """

    actor: NotRequired[str]
    """
    Only events of this actor: an id, a name in whatever case, or a type.
    """

    action: NotRequired[str]
    """
    Only this action; `user.*` is all actions that begin with `user.`.
    """

    target: NotRequired[str]
    """
    Only events about the target with this id.
    """


class ListAgentsParametersQuery(TypedDict):
    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """

    after: NotRequired[str]
    """
    Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000.
    """

    order: NotRequired[Literal["asc", "desc"]]
    """
    `asc`: oldest first. `desc`: newest first.
    """

    fields: NotRequired[str]
    """
    Only these fields and `id`, separated by commas: id, name, type, status, created_at, paused_at, owner.
    """

    status: NotRequired[str]
    """
    Only agents with this status. Any text is valid.
    """

    type: NotRequired[str]
    """
    Only agents of this type. Any text is valid.
    """

    paused: NotRequired[bool]
    """
    `true`: only paused agents. `false`: only the others; then a page may have fewer than `limit` entries, and its `next` link continues.
    """

    name: NotRequired[str]
    """
    Only agents with exactly this name.
    """

    owner: NotRequired[str]
    """
    Only agents with exactly this owner.
    """

    q: NotRequired[str]
    """
    Each word is somewhere in the name, in any case, or is the beginning of the id. A page may have fewer than `limit` entries, or none, though its `next` link continues.
    """


class CreateAgentParametersQuery(TypedDict):
    owner: NotRequired[str]
    """
    What manages the agent, such as the folder of its file. Empty: nothing. Lists name it on request.
    """


class CheckAgentParametersQuery(TypedDict):
    allow_unknown_skills: NotRequired[bool]
    """
    `true`: skills that the registry does not have are not refused.
    """


class ReplaceAgentParametersQuery(TypedDict):
    owner: NotRequired[str]
    """
    What manages the agent, such as the folder of its file. Empty: nothing. Lists name it on request.
    """


class ReadPauseParametersQuery(TypedDict):
    optional: NotRequired[bool]
    """
    `true`: null, not 404, if the agent is not paused.
    """


ReadPauseResponse: TypeAlias = Pause | None


class ReadDefinitionParametersQuery(TypedDict):
    optional: NotRequired[bool]
    """
    `true`: null, not 404, if the agent has no definition.
    """


class ReplaceDefinitionParametersQuery(TypedDict):
    allow_unknown_skills: NotRequired[bool]
    """
    `true`: skills that the registry does not have are not refused.
    """


class ListDefinitionVersionsParametersQuery(TypedDict):
    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """

    order: NotRequired[Literal["asc", "desc"]]
    """
    `asc`: oldest first. `desc`: newest first.
    """


class SearchTasksParametersQuery(TypedDict):
    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """

    after: NotRequired[str]
    """
    Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000.
    """

    order: NotRequired[Literal["asc", "desc"]]
    """
    `asc`, the default: oldest first. `desc`, the default with `q`: newest first.
    """

    fields: NotRequired[str]
    """
    Only these fields and `id`, separated by commas: id, agent_id, message, input, status, priority, scheduled_at, expires_at, timeout_seconds, max_attempts, retry_policy, attempt, result, error, progress, tags, metadata, retry_of, skills, workspace, model, output_schema, max_cost, continue_of, continued_by, usage, cost, traceparent, agent_version, requires, concurrency_key, after, after_failure, created_by, worker_id, cancel_requested_at, next_attempt_at, started_at, completed_at, created_at, updated_at.
    """

    status: NotRequired[str]
    """
    Only tasks with one of these statuses, separated by commas. Any text is valid.
    """

    type: NotRequired[str]
    """
    Only tasks whose agent had this type at their creation.
    """

    agent_id: NotRequired[str]
    """
    Only tasks of this agent.
    """

    tag: NotRequired[str]
    """
    Only tasks with this tag.
    """

    worker_id: NotRequired[str]
    """
    Only tasks whose current or last worker is this one.
    """

    id: NotRequired[str]
    """
    Only the task with this id.
    """

    created_after: NotRequired[str]
    """
    Only tasks created after this time.
    """

    created_before: NotRequired[str]
    """
    Only tasks created before this time.
    """

    q: NotRequired[str]
    """
    Each word is somewhere in the message, the tags, or the code or message of the error, in any case, or is the beginning of the id. The newest tasks come first.
    """

    error_code: NotRequired[str]
    """
    Only tasks whose last error has this code.
    """

    model: NotRequired[str]
    """
    Only tasks that ask for this model.
    """

    created_by: NotRequired[str]
    """
    Only tasks that this user or API key has created: its id, or the e-mail address of a user.
    """

    min_duration_seconds: NotRequired[int]
    """
    Only tasks whose current or last attempt has taken at least so long.
    """


class ListAgentTasksParametersQuery(TypedDict):
    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """

    after: NotRequired[str]
    """
    Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000.
    """

    order: NotRequired[Literal["asc", "desc"]]
    """
    `asc`: oldest first. `desc`: newest first.
    """

    fields: NotRequired[str]
    """
    Only these fields and `id`, separated by commas: id, agent_id, message, input, status, priority, scheduled_at, expires_at, timeout_seconds, max_attempts, retry_policy, attempt, result, error, progress, tags, metadata, retry_of, skills, workspace, model, output_schema, max_cost, continue_of, continued_by, usage, cost, traceparent, agent_version, requires, concurrency_key, after, after_failure, created_by, worker_id, cancel_requested_at, next_attempt_at, started_at, completed_at, created_at, updated_at.
    """

    status: NotRequired[str]
    """
    Only tasks with one of these statuses, separated by commas. Any text is valid.
    """


class CreateTaskParametersQuery(TypedDict):
    allow_unknown_skills: NotRequired[bool]
    """
    `true`: skills that the registry does not have are not refused.
    """


class CreateTasksParametersQuery(TypedDict):
    allow_unknown_skills: NotRequired[bool]
    """
    `true`: skills that the registry does not have are not refused.
    """


class CreateTaskGraphParametersQuery(TypedDict):
    allow_unknown_skills: NotRequired[bool]
    """
    `true`: skills that the registry does not have are not refused.
    """


class GetTaskParametersQuery(TypedDict):
    wait: NotRequired[int]
    """
    Delays the response until the task ends, for at most this many seconds.
    """

    until: NotRequired[Literal["end", "input"]]
    """
    `input`: the wait also ends when the task needs input.
    """


class ReplaceTaskParametersQuery(TypedDict):
    allow_unknown_skills: NotRequired[bool]
    """
    `true`: skills that the registry does not have are not refused.
    """


class ListTaskAttemptsParametersQuery(TypedDict):
    all: NotRequired[bool]
    """
    Also attempts that do not count as such: their usage and cost do.
    """


ListTaskAttemptsResponse: TypeAlias = list[Attempt]


class GetTaskThreadParametersQuery(TypedDict):
    fields: NotRequired[str]
    """
    Only these fields and `id`, separated by commas: id, agent_id, message, input, status, priority, scheduled_at, expires_at, timeout_seconds, max_attempts, retry_policy, attempt, result, error, progress, tags, metadata, retry_of, skills, workspace, model, output_schema, max_cost, continue_of, continued_by, usage, cost, traceparent, agent_version, requires, concurrency_key, after, after_failure, created_by, worker_id, cancel_requested_at, next_attempt_at, started_at, completed_at, created_at, updated_at.
    """


class ListInputRequestsParametersQuery(TypedDict):
    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """

    after: NotRequired[str]
    """
    Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000.
    """

    order: NotRequired[Literal["asc", "desc"]]
    """
    `asc`: oldest first. `desc`: newest first.
    """

    state: NotRequired[Literal["open", "answered", "expired", "withdrawn"]]
    kind: NotRequired[Literal["approval", "question", "form"]]
    agent_id: NotRequired[str]
    """
    Only those of this agent.
    """

    type: NotRequired[str]
    """
    Only those of tasks whose agent had this type at their creation.
    """

    task_id: NotRequired[str]
    """
    Only those of this task.
    """


class ListTaskInputRequestsParametersQuery(TypedDict):
    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """

    after: NotRequired[str]
    """
    Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000.
    """

    order: NotRequired[Literal["asc", "desc"]]
    """
    `asc`: oldest first. `desc`: newest first.
    """


class ListMessagesParametersQuery(TypedDict):
    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """

    after: NotRequired[str]
    """
    Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000.
    """

    order: NotRequired[Literal["asc", "desc"]]
    """
    `asc`: oldest first. `desc`: newest first.
    """


class ReadInboxParametersQuery(TypedDict):
    after: NotRequired[int]
    """
    Acknowledges the items up to this number. Default: none.
    """

    wait: NotRequired[int]
    """
    Seconds to wait for a first item.
    """


class ListLeasesParametersQuery(TypedDict):
    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """

    after: NotRequired[str]
    """
    Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000.
    """

    worker_id: NotRequired[str]
    """
    Only leases of this worker. Any text is valid.
    """

    agent_id: NotRequired[str]
    """
    Only leases of tasks of this agent. Any text is valid.
    """


ListLeasesResponse: TypeAlias = list[LeaseInfo]


class ListLogEntriesParametersQuery(TypedDict):
    after: NotRequired[int]
    """
    Only entries after the one with this id.
    """

    tail: NotRequired[int]
    """
    Begins with the last entries, at most so many, unless `after` or `Last-Event-ID` is given.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """

    types: NotRequired[str]
    """
    Only entries of these types, separated by commas.
    """


ListLogEntriesResponse: TypeAlias = list[LogEntry]


class ListBudgetsParametersQuery(TypedDict):
    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """


ListBudgetsResponse: TypeAlias = list[ScopeBudget]


class ListWorkersParametersQuery(TypedDict):
    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of entries.
    """


class ReadSeriesParametersQuery(TypedDict):
    window: NotRequired[int]
    """
    Length of the window in seconds.
    """

    step: NotRequired[int]
    """
    Length of a step in seconds.
    """

    type: NotRequired[str]
    """
    Only tasks of agents that were of this type.
    """

    agent_id: NotRequired[str]
    """
    Only tasks of this agent.
    """


ReadSpendParametersQuery = TypedDict(
    "ReadSpendParametersQuery",
    {
        "from": NotRequired[str],
        "to": NotRequired[str],
        "step": NotRequired[Literal["hour", "day", "month"]],
        "group_by": NotRequired[
            Literal["agent", "model", "type", "tag", "user", "key", "version"]
        ],
        "agent_id": NotRequired[str],
        "time_zone": NotRequired[str],
    },
)


class ListEventsParametersQuery(TypedDict):
    after: NotRequired[str]
    limit: NotRequired[int]
    """
    Maximum number of entries.
    """

    order: NotRequired[Literal["asc", "desc"]]
    """
    `asc`: oldest first. `desc`, not for streams: newest first, without `resync`; `Link` continues to the oldest.
    """

    types: NotRequired[str]
    """
    Only events of these types, separated by commas.
    """

    agent_type: NotRequired[str]
    """
    Only events of agents that had this type then, and of their tasks. Any text is valid.
    """

    agent_id: NotRequired[str]
    """
    Only events of this agent and its tasks. Any text is valid.
    """


ListEventsResponse: TypeAlias = list[Event]


class ListAgentEventsParametersQuery(TypedDict):
    after: NotRequired[str]
    limit: NotRequired[int]
    """
    Maximum number of entries.
    """

    order: NotRequired[Literal["asc", "desc"]]
    """
    `asc`: oldest first. `desc`, not for streams: newest first, without `resync`; `Link` continues to the oldest.
    """


ListAgentEventsResponse: TypeAlias = list[Event]


class ListTaskEventsParametersQuery(TypedDict):
    after: NotRequired[str]
    limit: NotRequired[int]
    """
    Maximum number of entries.
    """


ListTaskEventsResponse: TypeAlias = list[Event]


class ListSkillsParametersQuery(TypedDict):
    q: NotRequired[str]
    """
    Words or a question, to find in the name, display name, tags, author, repository, category and description. Case does not count, nor do stop words such as "how do I"; other forms of English words match. If no skill has all words, typos are tolerated, and in a longer query some of the words are enough. Only the first sixteen words count. An exact name comes first.
    """

    category: NotRequired[str]
    """
    Id or name of a category, ignoring case.
    """

    kind: NotRequired[str]
    """
    Kinds of records, also in the plural. Default: `skill` and `plugin`. A comma-separated list of `skill`, `plugin`, `mcp_server`, `agent`, `hook`, `setting`, `command`.
    """

    tag: NotRequired[str]
    """
    A tag, ignoring case.
    """

    author: NotRequired[str]
    """
    An author, ignoring case.
    """

    repo: NotRequired[str]
    """
    A repository, as in `source.repo`, ignoring case.
    """

    license: NotRequired[str]
    """
    A license, ignoring case.
    """

    valid: NotRequired[bool]
    """
    Whether the skill follows the rules of the Agent Skills specification.
    """

    updated_since: NotRequired[str]
    """
    Only skills updated at or after this time: a date such as `2026-01-31` (midnight UTC), or an RFC 3339 date-time.
    """

    fields: NotRequired[str]
    """
    Only these fields of each skill, and `id`. A comma-separated list of `id`, `name`, `display_name`, `description`, `kind`, `category`, `categories`, `tags`, `author`, `source`, `license`, `version`, `compatibility`, `stars`, `downloads`, `featured`, `updated_at`, `digest`, `digest_of`, `install`, `valid`, `issues`, `registries`, `extra`.
    """

    sort: NotRequired[
        Literal["name", "stars", "downloads", "updated", "trending", "relevance"]
    ]
    """
    Default: `relevance` with `q`, else `name`. Unknown values come last; equal values are ordered by name. `trending` orders by new stars, new sources and new skills of today and the seven days before, then by popularity.
    """

    order: NotRequired[Literal["asc", "desc"]]
    """
    Default: `asc` for `name`, else `desc` (most stars, latest or best first).
    """

    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of skills. Default: all, or 100 with `cursor`.
    """

    cursor: NotRequired[str]
    """
    Empty for the first page; the `next` link or `next_cursor` has that of the following page. It continues after the last skill of a page, even if a new snapshot has other skills before it. Cannot be combined with `skip`. Filters and order must stay the same; `limit`, `fields` and, where they are, `facets` may change.
    """


class GetCatalogueParametersQuery(TypedDict):
    q: NotRequired[str]
    """
    Words or a question, to find in the name, display name, tags, author, repository, category and description. Case does not count, nor do stop words such as "how do I"; other forms of English words match. If no skill has all words, typos are tolerated, and in a longer query some of the words are enough. Only the first sixteen words count. An exact name comes first.
    """

    category: NotRequired[str]
    """
    Id or name of a category, ignoring case.
    """

    kind: NotRequired[str]
    """
    Kinds of records, also in the plural. Default: `skill` and `plugin`. A comma-separated list of `skill`, `plugin`, `mcp_server`, `agent`, `hook`, `setting`, `command`.
    """

    tag: NotRequired[str]
    """
    A tag, ignoring case.
    """

    author: NotRequired[str]
    """
    An author, ignoring case.
    """

    repo: NotRequired[str]
    """
    A repository, as in `source.repo`, ignoring case.
    """

    license: NotRequired[str]
    """
    A license, ignoring case.
    """

    valid: NotRequired[bool]
    """
    Whether the skill follows the rules of the Agent Skills specification.
    """

    updated_since: NotRequired[str]
    """
    Only skills updated at or after this time: a date such as `2026-01-31` (midnight UTC), or an RFC 3339 date-time.
    """

    fields: NotRequired[str]
    """
    Only these fields of each skill, and `id`. A comma-separated list of `id`, `name`, `display_name`, `description`, `kind`, `category`, `categories`, `tags`, `author`, `source`, `license`, `version`, `compatibility`, `stars`, `downloads`, `featured`, `updated_at`, `digest`, `digest_of`, `install`, `valid`, `issues`, `registries`, `extra`.
    """

    sort: NotRequired[
        Literal["name", "stars", "downloads", "updated", "trending", "relevance"]
    ]
    """
    Default: `relevance` with `q`, else `name`. Unknown values come last; equal values are ordered by name. `trending` orders by new stars, new sources and new skills of today and the seven days before, then by popularity.
    """

    order: NotRequired[Literal["asc", "desc"]]
    """
    Default: `asc` for `name`, else `desc` (most stars, latest or best first).
    """

    skip: NotRequired[int]
    """
    Number of entries to skip.
    """

    limit: NotRequired[int]
    """
    Maximum number of skills. Default: 100.
    """

    cursor: NotRequired[str]
    """
    Empty for the first page; the `next` link or `next_cursor` has that of the following page. It continues after the last skill of a page, even if a new snapshot has other skills before it. Cannot be combined with `skip`. Filters and order must stay the same; `limit`, `fields` and, where they are, `facets` may change.
    """

    facets: NotRequired[str]
    """
    Requests the most frequent values among all matching skills, with their counts. A comma-separated list of `category`, `kind`, `tag`, `author`, `license`, `valid`.
    """


class SearchSkillsParametersQuery(TypedDict):
    q: str
    """
    The words of a search, as in `/api/skills`.
    """

    limit: NotRequired[int]
    """
    Maximum number of skills. Default: 20.
    """

    owner: NotRequired[str]
    """
    Only skills in repositories of this owner, among the first 10,000 that match `q`.
    """


class ListSuggestionsParametersQuery(TypedDict):
    q: str
    """
    The text typed so far. Case is ignored; in names of skills, so are accents, and dashes and underscores count as spaces.
    """

    limit: NotRequired[int]
    """
    Maximum number of suggestions. Default: 10.
    """


class ListChangesParametersQuery(TypedDict):
    since: str
    """
    A snapshot: `snapshot_id` of `/api/registry/status`, or `to` of an earlier response.
    """

    limit: NotRequired[int]
    """
    Approximate maximum number of ids. The response covers whole snapshots, at least one, and stops before the one that would exceed the limit. Default: no limit.
    """


class GetRegistryFileParametersQuery(TypedDict):
    source: NotRequired[str]
    """
    The source of the file, one of `sources` in `/api/registry/status`. Default: the first. An unknown source is refused with 400.
    """


class ErrorDetails(TypedDict):
    fields: NotRequired[list[FieldError]]
    """
    Every invalid field of a validation error.
    """

    required: NotRequired[str]
    """
    The scope that is missing.
    """


PublicKey: TypeAlias = RsaPublicKey | EcPublicKey
"""
A JSON Web Key (RFC 7517, RFC 7518 section 6).
"""


class AuditEvent(TypedDict):
    id: str
    """
    A UUIDv7. Ids sort by time.
    """

    at: str
    actor: AuditActor
    action: str
    """
    Such as `user.created` or `token.refused`.
    """

    target: AuditTarget | None
    outcome: Literal["success", "failure"]
    address: str | None
    """
    The IP address of the client.
    """

    request_id: str | None
    """
    The `X-Request-Id` of the request.
    """

    details: NotRequired[dict[str, str]]
    """
    What was decided: of an approval `tool`, `digest` and `decision`. Else absent.
    """


class GraphTaskInput(TypedDict):
    agent_id: str
    """
    Id of the agent.
    """

    key: NotRequired[str | None]
    """
    Names it in the batch: `after` of others may have `@<key>`.
    """

    message: str
    """
    The instructions of the task.
    """

    input: NotRequired[Any]
    """
    Any JSON, at most 256 KiB.
    """

    priority: NotRequired[int]
    """
    1 is the highest.
    """

    scheduled_at: NotRequired[str | None]
    """
    Earliest start; up to 30 days ahead.
    """

    expires_at: NotRequired[str | None]
    """
    The task fails unless it has started by then. Default: 24 h after creation or `scheduled_at`.
    """

    timeout_seconds: NotRequired[int]
    """
    Limit of one attempt. Default: that of the agent's definition, else this one.
    """

    max_attempts: NotRequired[int]
    retry_policy: NotRequired[RetryPolicyInput]
    tags: NotRequired[list[Tag] | None]
    metadata: NotRequired[dict[str, Any] | None]
    """
    At most 16 KiB.
    """

    requires: NotRequired[list[Require] | None]
    """
    Labels that a worker must have, besides those of the agent's definition.
    """

    concurrency_key: NotRequired[str | None]
    """
    Of the tasks of an agent with the same key, at most one runs at a time.
    """

    retry_of: NotRequired[str | None]
    """
    The ended task of the same agent that this one retries.
    """

    after: NotRequired[list[AfterItem] | None]
    """
    Ids of tasks, and `@<key>` of tasks of the batch.
    """

    after_failure: NotRequired[Literal["fail", "run"] | None]
    """
    What it does when one of them does not complete: `fail`, with the code `dependency_failed`, or `run`.
    """

    skills: NotRequired[list[str | PinnedSkill] | None]
    """
    Skills of the registry that the agent gets.
    """

    workspace: NotRequired[WorkspaceInput | None]
    """
    The git repository in whose clone the agent works.
    """

    model: NotRequired[str | None]
    """
    The model to use. Default: that of the worker.
    """

    output_schema: NotRequired[dict[str, Any] | None]
    """
    JSON Schema of the `output` in the result: draft 2020-12, or 7 by its `$schema`. At most 64 KiB and 64 levels. Each `$ref` begins with `#`. Patterns have at most 1,024 characters.
    """

    max_cost: NotRequired[MaxCost | None]
    """
    What all attempts together may cost. From then on, a failed attempt is not retried.
    """

    continue_of: NotRequired[str | None]
    """
    The ended task of the same agent whose session this one continues. Its worker is preferred.
    """


class AgentFields(TypedDict):
    """
    A record of a list; with `fields`, the requested ones of its fields and `id`.
    """

    id: str
    """
    A UUIDv7, given by the service.
    """

    name: NotRequired[str]
    type: NotRequired[str]
    status: NotRequired[AgentState]
    created_at: NotRequired[str]
    paused_at: NotRequired[str | None]
    """
    Start of the pause; only if `fields` has it.
    """

    owner: NotRequired[str | None]
    """
    Only if `fields` has it, or the list is that of an owner.
    """


class McpServer(TypedDict):
    name: str
    url: NotRequired[str]
    headers: NotRequired[dict[str, str | SecretReference]]
    command: NotRequired[str]
    args: NotRequired[list[str]]
    env: NotRequired[dict[str, str | SecretReference]]


class DefinitionInput(TypedDict):
    description: NotRequired[str | None]
    """
    For people.
    """

    instructions: NotRequired[str | None]
    """
    Markdown, which is appended to the runtime's system prompt. At most 64 KiB as UTF-8.
    """

    runtime: NotRequired[str | None]
    """
    Only workers with the label `runtime:<it>` get its tasks. Null: any worker of the type.
    """

    model: NotRequired[str | None]
    """
    The model to use. Default: that of the worker.
    """

    effort: NotRequired[str | None]
    skills: NotRequired[list[str | PinnedSkill] | None]
    """
    Skills of the registry that the agent gets.
    """

    mcp_servers: NotRequired[list[McpServerByUrl | McpServerByCommand] | None]
    """
    MCP servers that the agent gets.
    """

    permissions: NotRequired[PermissionsInput | None]
    workspace: NotRequired[WorkspaceInput | None]
    """
    The git repository in whose clone the agent works.
    """

    output_schema: NotRequired[dict[str, Any] | None]
    """
    JSON Schema of the `output` in the result: draft 2020-12, or 7 by its `$schema`. At most 64 KiB and 64 levels. Each `$ref` begins with `#`. Patterns have at most 1,024 characters.
    """

    requires: NotRequired[list[Require] | None]
    """
    Labels that a worker must have.
    """

    limits: NotRequired[LimitsInput | None]
    retry_policy: NotRequired[RetryPolicyInput | None]
    max_concurrency: NotRequired[int | None]
    """
    Tasks of the agent that run at once.
    """

    budget: NotRequired[BudgetInput | None]
    """
    What the agent may cost in a period.
    """

    tags: NotRequired[list[Tag] | None]
    """
    Added to those of its tasks.
    """

    note: NotRequired[str | None]
    """
    Why this version was made.
    """


class Definition(TypedDict):
    version: int
    """
    From 1. Tasks name it as `agent_version`.
    """

    description: str | None
    instructions: str | None
    runtime: str | None
    model: str | None
    effort: str | None
    skills: list[str | PinnedSkill]
    mcp_servers: list[McpServer]
    permissions: Permissions | None
    workspace: Workspace | None
    output_schema: dict[str, Any] | None
    requires: list[str]
    limits: Limits | None
    retry_policy: RetryPolicy | None
    max_concurrency: int | None
    budget: Budget | None
    tags: list[str]
    created_at: str
    created_by: DefinitionCreator | None
    note: str | None


class ListedDefinition(TypedDict):
    """
    A version without its `instructions` and `output_schema`.
    """

    version: int
    """
    From 1. Tasks name it as `agent_version`.
    """

    description: str | None
    runtime: str | None
    model: str | None
    effort: str | None
    skills: list[str | PinnedSkill]
    mcp_servers: list[McpServer]
    permissions: Permissions | None
    workspace: Workspace | None
    requires: list[str]
    limits: Limits | None
    retry_policy: RetryPolicy | None
    max_concurrency: int | None
    budget: Budget | None
    tags: list[str]
    created_at: str
    created_by: DefinitionCreator | None
    note: str | None


class TaskFields(TypedDict):
    """
    A record of a list; with `fields`, the requested ones of its fields and `id`.
    """

    id: str
    agent_id: NotRequired[str]
    message: NotRequired[str]
    input: NotRequired[Any]
    """
    As the client gave it, else null.
    """

    status: NotRequired[
        Literal[
            "pending", "running", "input_required", "completed", "failed", "cancelled"
        ]
    ]
    priority: NotRequired[int]
    scheduled_at: NotRequired[str | None]
    expires_at: NotRequired[str]
    timeout_seconds: NotRequired[int]
    max_attempts: NotRequired[int]
    retry_policy: NotRequired[RetryPolicy]
    attempt: NotRequired[int]
    """
    0 before the first lease.
    """

    result: NotRequired[Any]
    """
    As the worker reported it, else null.
    """

    error: NotRequired[TaskError | None]
    """
    The error of the last failed attempt, or why the task ended.
    """

    progress: NotRequired[Progress | None]
    """
    Progress of the running attempt.
    """

    tags: NotRequired[list[str] | None]
    metadata: NotRequired[dict[str, Any] | None]
    retry_of: NotRequired[str | None]
    skills: NotRequired[list[str | PinnedSkill] | None]
    workspace: NotRequired[Workspace | None]
    model: NotRequired[str | None]
    output_schema: NotRequired[dict[str, Any] | None]
    max_cost: NotRequired[MaxCost | None]
    continue_of: NotRequired[str | None]
    continued_by: NotRequired[list[str]]
    """
    Tasks that continue this one, at most 100. Absent in older tasks.
    """

    usage: NotRequired[Usage | None]
    """
    Of all ended attempts, released ones included; null while none has reported any.
    """

    cost: NotRequired[Cost | None]
    """
    The same of their cost.
    """

    traceparent: NotRequired[str | None]
    """
    W3C Trace Context of the request that created the task, for the spans of its worker.
    """

    agent_version: NotRequired[int | None]
    """
    The version of the agent's definition that holds for it. Absent in older tasks.
    """

    requires: NotRequired[list[str] | None]
    """
    As the client gave it. Absent in older tasks.
    """

    concurrency_key: NotRequired[str | None]
    """
    Absent in older tasks.
    """

    after: NotRequired[list[str] | None]
    """
    As the client gave it. Absent in older tasks.
    """

    after_failure: NotRequired[Literal["fail", "run"] | None]
    """
    Null without `after`.
    """

    created_by: NotRequired[Creator | None]
    """
    The user, whose name is an e-mail address, or the API key that created it. Absent in older tasks.
    """

    worker_id: NotRequired[str | None]
    """
    The current or last worker.
    """

    cancel_requested_at: NotRequired[str | None]
    next_attempt_at: NotRequired[str | None]
    """
    Earliest start of the retry.
    """

    started_at: NotRequired[str | None]
    """
    Start of the current or last attempt.
    """

    completed_at: NotRequired[str | None]
    created_at: NotRequired[str]
    updated_at: NotRequired[str]


class TaskGraph(TypedDict):
    tasks: list[GraphTaskInput]
    partial: NotRequired[bool]


class TaskDependencies(TypedDict):
    nodes: list[GraphNode]
    truncated: bool
    """
    Whether there are more.
    """


class InputAnswer(TypedDict):
    option_ids: list[str] | None
    text: str | None
    values: dict[str, Any] | None
    tool_input: NotRequired[Any]
    """
    The changed input; absent if it is as requested.
    """

    tool_digest: str | None
    """
    Digest of the tool and input that was allowed.
    """

    by: Answerer | None
    """
    Null for the default.
    """

    at: str


class Message(TypedDict):
    id: str
    mode: Literal["queue", "steer", "interrupt"]
    text: str
    by: MessageSender | None
    state: Literal["queued", "received", "delivered", "dropped"]
    """
    `received`: the worker has it; `delivered`: the agent has it. What was not delivered when an attempt ends is `queued` again, and `dropped` when the task ends.
    """

    delivered_as: Literal["prompt", "queue", "steer", "interrupt"] | None
    """
    How the agent took it. `queue` before that: the worker cannot steer or interrupt it.
    """

    created_at: str
    delivered_at: str | None


class InputRequestInput(TypedDict):
    token: str
    """
    The token of the lease.
    """

    key: str
    """
    One in the task, not `interruption:…`: the same again returns the same request.
    """

    kind: Literal["approval", "question", "form"]
    title: str
    text: NotRequired[str | None]
    """
    Markdown, at most 16 KiB.
    """

    tool: NotRequired[InputToolInput | None]
    options: NotRequired[list[InputOptionInput] | None]
    """
    Default of an approval: `allow` and `deny`.
    """

    multiple: NotRequired[bool]
    """
    Whether several options may be chosen; not of an approval.
    """

    allow_text: NotRequired[bool]
    input_editable: NotRequired[bool]
    """
    Whether an answer may change the input of the tool.
    """

    schema: NotRequired[dict[str, Any]]
    """
    A flat JSON Schema, as in an elicitation of MCP: an object whose properties are texts, numbers, whole numbers, booleans, an `enum`, or a list of an `enum`.
    """

    default: NotRequired[InputAnswerInput | None]
    """
    The answer if nobody answers in time; without it the task fails then.
    """

    expires_in_seconds: NotRequired[int]


class InboxItem(TypedDict):
    n: int
    """
    Number of the item in its task, from 1.
    """

    type: Literal["answer", "message", "interrupt", "cancel"]
    request_id: NotRequired[str]
    answer: NotRequired[InputAnswer | None]
    message_id: NotRequired[str]
    text: NotRequired[str]
    mode: NotRequired[Literal["queue", "steer", "interrupt"]]
    reason: NotRequired[str | None]
    """
    Of a cancellation.
    """


class Suspension(TypedDict):
    token: str
    """
    The token of the lease.
    """

    session: NotRequired[SuspendedSessionInput | None]
    state: NotRequired[Any]
    """
    Any JSON, at most 64 KiB, for the next attempt.
    """


class AgentLeaseRequest(TypedDict):
    worker_id: str
    """
    Name of the worker, for people.
    """

    accepts: NotRequired[
        list[Literal["messages", "steer", "interrupt", "input", "definitions"]]
    ]
    """
    What the worker takes: `messages` of people, `steer` and `interrupt` during a turn, answers to `input` requests, `definitions` of agents. It gets no task that needs what it does not take.
    """

    labels: NotRequired[list[Label]]
    """
    What the worker has. It gets no task that requires a label which is not among these.
    """

    paused: NotRequired[list[ProviderPauseInput]]
    """
    Providers that take no calls of the worker until a time. Until then it gets no task of their type of agents (`anthropic` claude, `openai` gpt, `google` gemini), nor one whose definition has their runtime.
    """

    paused_until: NotRequired[str | None]
    """
    Without `paused`: the worker gets no task at all until then.
    """

    pause_reason: NotRequired[str | None]
    max_tasks: NotRequired[int]
    """
    Maximum number of tasks.
    """

    wait_seconds: NotRequired[int]
    """
    Seconds to wait for a first task.
    """

    lease_seconds: NotRequired[int]
    """
    Seconds until the lease expires without a heartbeat.
    """


class HeartbeatAnswer(TypedDict):
    expires_at: str
    cancel_requested: bool
    """
    If true, the worker should stop and report `cancelled`.
    """

    inbox: int
    """
    Number of the last item of its inbox; 0 before the first.
    """

    cost_left: CostLeft | None
    """
    The least that is left of the budgets of the task; null without one. At 0 the worker ends the attempt with the error `budget_exceeded`; the next heartbeat ends one that goes on.
    """


class Heartbeat(TypedDict):
    token: str
    """
    The token of the lease.
    """

    progress: NotRequired[ProgressInput | None]
    usage: NotRequired[UsageInput | None]
    """
    Of the attempt so far. Without it, or with null, the last value stays.
    """

    cost: NotRequired[CostInput | None]
    """
    Of the attempt so far. Without it, or with null, the last value stays.
    """

    model: NotRequired[str | None]
    """
    The model that the attempt uses, as its provider names it.
    """


class TaskResult(TypedDict):
    token: str
    """
    The token of the lease.
    """

    status: Literal["completed", "failed", "cancelled"]
    result: NotRequired[Any]
    """
    Any JSON, at most 1 MiB.
    """

    error: NotRequired[TaskErrorInput | None]
    """
    The error. Not allowed with `completed`.
    """

    session: NotRequired[SuspendedSessionInput | None]
    state: NotRequired[Any]
    """
    Any JSON, at most 64 KiB, for the next attempt.
    """

    usage: NotRequired[UsageInput | None]
    """
    Of the attempt so far. Without it, or with null, the last value stays.
    """

    cost: NotRequired[CostInput | None]
    """
    Of the attempt so far. Without it, or with null, the last value stays.
    """

    model: NotRequired[str | None]
    """
    The model that the attempt uses, as its provider names it.
    """


class LogEntriesInput(TypedDict):
    token: str
    """
    The token of the lease.
    """

    entries: list[LogEntryInput]


class BulkActionInput(TypedDict):
    action: Literal["cancel", "retry", "delete"]
    filter: TaskFilter
    dry_run: NotRequired[bool]


class BulkAction(TypedDict):
    id: str
    action: Literal["cancel", "retry", "delete"]
    state: Literal["running", "completed", "stopped"]
    matched: int
    """
    Tasks that matched at the beginning, and could be changed.
    """

    done: int
    """
    Tasks that were cancelled, retried or deleted so far.
    """

    failed: int
    failures: list[BulkActionFailure]
    """
    The first 100.
    """

    created_at: str
    ended_at: str | None


class WorkerInfo(TypedDict):
    worker_id: str
    types: list[str]
    """
    Types of agents whose tasks it has requested in the 5 minutes before `last_seen_at`.
    """

    agent_ids: list[str]
    """
    Agents whose tasks it has requested by `POST /agents/{agent_id}/leases` in that time, at most 100.
    """

    first_seen_at: str
    last_seen_at: str
    """
    To within 5 s. A heartbeat counts.
    """

    polling: bool
    """
    Whether it has requested tasks in the last 60 s.
    """

    leases: int
    """
    Leases that it holds.
    """

    completed: int
    """
    Tasks that it has reported as completed since `first_seen_at`.
    """

    failed: int
    """
    Attempts that it has reported as failed since then.
    """

    accepts: list[str]
    """
    What it takes, as its last lease request says.
    """

    labels: list[str]
    """
    What it has, as that request says.
    """

    paused: list[WorkerPause]
    """
    As that request says: until when it takes no tasks, or none of a provider, and why. Else empty.
    """

    client: str | None
    """
    Its address, if known.
    """


class AgentCounts(TypedDict):
    total: int
    by_status: AgentStatusCounts
    by_type: dict[str, int]
    """
    Has each type of `AGENT_TYPES`.
    """


class TaskCounts(TypedDict):
    total: int
    by_status: TaskStatusCounts
    by_type: dict[str, int]
    """
    Has each type of `AGENT_TYPES`.
    """


class FleetUsage(TypedDict):
    total: Spent
    by_type: dict[str, Spent]
    """
    Has each type of `AGENT_TYPES`.
    """

    by_model: list[ModelSpent]
    """
    By the name that workers reported, the highest cost first. The first 98 names count; `other` has all further ones, and `unknown` the attempts without one.
    """

    by_agent: list[AgentSpent]
    """
    The 100 agents with the highest cost, then the most tokens.
    """


class SeriesStep(TypedDict):
    at: str
    """
    Beginning of the step.
    """

    created: int
    completed: int
    failed: int
    cancelled: int
    input_requested: int
    """
    Input requests that were opened.
    """

    retried: int
    """
    Attempts that failed and are followed by another one.
    """

    wait_ms: Percentiles | None
    """
    From creation to the first lease, of tasks first leased in the step.
    """

    run_ms: Percentiles | None
    """
    Length of the attempts that were completed, failed, cancelled or retried in the step.
    """


class SpendOfStep(TypedDict):
    at: str
    """
    Beginning of the step.
    """

    groups: list[SpendGroup]
    """
    The highest cost first; after 99 of them `other`.
    """


class SkillFields(TypedDict):
    """
    A skill; with `fields`, the requested ones of its fields and `id`.
    """

    id: str
    """
    URL-safe, without a slash, unique, and stable across refreshes.
    """

    name: NotRequired[str]
    """
    As in the upstream registry.
    """

    display_name: NotRequired[str]
    """
    Title; the name if upstream has none.
    """

    description: NotRequired[str]
    """
    Empty if upstream has none.
    """

    kind: NotRequired[
        Literal["skill", "plugin", "mcp_server", "agent", "hook", "setting", "command"]
    ]
    """
    What it is. Only skills and plugins, which may contain skills, are listed unless `kind` is given.
    """

    category: NotRequired[str | None]
    """
    The first of `categories`; null if there are none.
    """

    categories: NotRequired[list[str]]
    """
    Ids of categories of `/api/categories`.
    """

    tags: NotRequired[list[str]]
    author: NotRequired[str | None]
    """
    As in the upstream registry, else the owner of the repository.
    """

    source: NotRequired[SkillSource]
    license: NotRequired[str | None]
    """
    SPDX identifier or a name.
    """

    version: NotRequired[str | None]
    """
    As in the upstream registry.
    """

    compatibility: NotRequired[str | None]
    """
    Requirements of the skill, as in the upstream registry.
    """

    stars: NotRequired[int | None]
    """
    Stars of the repository; null if unknown.
    """

    downloads: NotRequired[int | None]
    """
    Downloads or installations; null if unknown.
    """

    featured: NotRequired[bool]
    updated_at: NotRequired[str | None]
    """
    RFC 3339, UTC.
    """

    digest: NotRequired[str | None]
    """
    `sha256:` and 64 hexadecimal digits of the content, if upstream has one.
    """

    digest_of: NotRequired[Literal["skill_md", "folder"] | None]
    """
    What the digest covers: the SKILL.md, or the folder or archive of the skill.
    """

    install: NotRequired[str | None]
    """
    Installation command of upstream, else derived from repository and name. Read it before you run it.
    """

    valid: NotRequired[bool]
    """
    Whether the skill follows the rules of the Agent Skills specification.
    """

    issues: NotRequired[
        list[
            Literal[
                "name_too_long",
                "name_characters",
                "name_hyphens",
                "description_missing",
                "description_too_long",
                "compatibility_too_long",
            ]
        ]
    ]
    """
    The rules that the skill breaks; empty if it is valid.
    """

    registries: NotRequired[list[str]]
    """
    The sources that list this skill, with their names in `/api/registry/status`.
    """

    extra: NotRequired[dict[str, Any]]
    """
    Other upstream fields; long values are truncated.
    """


Facet: TypeAlias = list[FacetValue]
"""
The hundred most frequent values, in descending order.
"""


WellKnownSkills = TypedDict(
    "WellKnownSkills",
    {
        "$schema": str,
        "skills": list[WellKnownSkill],
    },
)


class FoundSkills(TypedDict):
    query: str
    count: int
    """
    Number of skills in this response.
    """

    skills: list[FoundSkill]


class Categories(TypedDict):
    """
    Both lists are in descending order of use. At most 10,000 tags.
    """

    categories: list[Category]
    tags: list[TagModel]


class Suggestions(TypedDict):
    suggestions: list[Suggestion]


class RegistrySourceStatus(TypedDict):
    source: str
    """
    The configured address without credentials and query, or `shipped` for the skills that ship.
    """

    snapshot_id: str | None
    """
    The served version of the source: SHA-256 of its raw bytes, and of those of its shards or parts. Null until the source has been read once.
    """

    fetched_at: str | None
    """
    Time when this version was first fetched.
    """

    checked_at: str | None
    """
    Time of the last check.
    """

    next_check_at: str | None
    """
    No check before this time, which the source requested by `Retry-After` or `Cache-Control`.
    """

    last_error: RegistryFault | None
    refused: RefusedSnapshot | None
    """
    The refused version that the source sends now. If the code is `empty`, `shrunk` or `mostly_rejected`, `REGISTRY_ACCEPT_SNAPSHOT` with this `snapshot_id` accepts it.
    """

    records: int
    """
    Usable records, before the records of all sources are merged.
    """

    rejected: int
    missing: int
    """
    Records that the source announces but does not send.
    """


ListAuditEventsResponse: TypeAlias = list[AuditEvent]


ListAgentsResponse: TypeAlias = list[AgentFields]


ReadDefinitionResponse: TypeAlias = Definition | None


ListDefinitionVersionsResponse: TypeAlias = list[ListedDefinition]


SearchTasksResponse: TypeAlias = list[TaskFields]


ListAgentTasksResponse: TypeAlias = list[TaskFields]


GetTaskThreadResponse: TypeAlias = list[TaskFields]


ListMessagesResponse: TypeAlias = list[Message]


ListWorkersResponse: TypeAlias = list[WorkerInfo]


ListSkillsResponse: TypeAlias = list[SkillFields]


class ErrorBody(TypedDict):
    error: str
    """
    Error code, from a closed list.
    """

    message: str
    """
    Explanation for people.
    """

    details: NotRequired[ErrorDetails]


class PublicKeys(TypedDict):
    keys: list[PublicKey]


TokenError: TypeAlias = ErrorBody | OAuthError


Refusal: TypeAlias = ErrorBody | Detail


class DefinitionContent(TypedDict):
    description: str | None
    instructions: str | None
    runtime: str | None
    model: str | None
    effort: str | None
    skills: list[str | PinnedSkill]
    mcp_servers: list[McpServer]
    permissions: Permissions | None
    workspace: Workspace | None
    output_schema: dict[str, Any] | None
    requires: list[str]
    limits: Limits | None
    retry_policy: RetryPolicy | None
    max_concurrency: int | None
    budget: Budget | None
    tags: list[str]
    note: str | None


class AgentCheckInput(TypedDict):
    name: str
    """
    Need not be unique.
    """

    type: str
    definition: NotRequired[DefinitionInput | None]


class RefusedTask(TypedDict):
    status: int
    """
    400, 403 (the quota of pending tasks is used up) or 422.
    """

    error: ErrorBody


class TaskGraphResults(TypedDict):
    results: list[CreatedTask | RefusedTask]


class InputRequest(TypedDict):
    id: str
    agent_id: str
    task_id: str
    attempt: int
    key: str
    kind: Literal["approval", "question", "form"]
    title: str
    text: str | None
    """
    Markdown.
    """

    tool: InputTool | None
    options: list[InputOption]
    multiple: bool
    allow_text: bool
    input_editable: bool
    schema: dict[str, Any] | None
    default: InputDefault | None
    created_at: str
    expires_at: str
    state: Literal["open", "answered", "expired", "withdrawn"]
    answer: InputAnswer | None


class Inbox(TypedDict):
    items: list[InboxItem]


class Resume(TypedDict):
    session: SuspendedSession | None
    state: Any
    """
    As it was suspended with, else null.
    """

    answers: list[InputRequest]
    """
    Requests that were answered, or have expired with a default, since. The first heartbeat acknowledges approvals: no later attempt gets them again.
    """


class Stats(TypedDict):
    at: str
    agents: AgentCounts
    tasks: TaskCounts
    oldest_pending: list[OldestPending]
    """
    Of each type that has one.
    """

    leases: int
    """
    Leases that workers hold.
    """

    workers: int
    """
    Workers that were seen in the last 5 minutes.
    """

    usage: FleetUsage


Series = TypedDict(
    "Series",
    {
        "from": str,
        "to": str,
        "step": int,
        "steps": list[SeriesStep],
    },
)


Spend = TypedDict(
    "Spend",
    {
        "from": str,
        "to": str,
        "step": Literal["hour", "day", "month"],
        "time_zone": str,
        "group_by": Literal["agent", "model", "type", "tag", "user", "key", "version"],
        "groups_overlap": bool,
        "total": Spent,
        "steps": list[SpendOfStep],
    },
)


class SkillFacets(TypedDict):
    """
    The requested facets, counted over all matching skills.
    """

    category: NotRequired[Facet]
    kind: NotRequired[Facet]
    tag: NotRequired[Facet]
    author: NotRequired[Facet]
    license: NotRequired[Facet]
    valid: NotRequired[Facet]


class RegistryStatus(TypedDict):
    source: str
    """
    The configured sources without credentials and query, or `shipped` for the skills that ship.
    """

    snapshot_id: str
    """
    Id of the snapshot. With a single source: SHA-256 of its raw bytes.
    """

    fetched_at: str
    """
    Time when this snapshot was built.
    """

    checked_at: str | None
    """
    Time of the last check of a source, successful or not.
    """

    age_seconds: int
    """
    Seconds since `fetched_at`.
    """

    stale: bool
    """
    True if the last check of a source failed, if nothing of a source is served, or if a source could have been checked again more than three refresh intervals ago.
    """

    last_error: RegistryFault | None
    """
    The error of the last check; null if it succeeded.
    """

    counts: RegistryCounts
    sources: list[RegistrySourceStatus]
    rejected: list[RejectedRecord]
    """
    The first 100 unusable records. `index` starts at 0.
    """

    rejections: list[RejectionCount]
    """
    Number of unusable records by code.
    """

    warnings: list[WarningCount]
    """
    Number of corrections to records by code, and of missing records (`incomplete`).
    """

    duplicates: RegistryDuplicates


ListInputRequestsResponse: TypeAlias = list[InputRequest]


ListTaskInputRequestsResponse: TypeAlias = list[InputRequest]


class AgentCheck(TypedDict):
    definition: DefinitionContent | None


class TaskBatchResults(TypedDict):
    results: list[CreatedTask | RefusedTask]


class Lease(TypedDict):
    id: str
    token: str
    """
    Proves ownership of the lease. Keep it secret.
    """

    task: Task
    attempt: int
    """
    Number of the attempt, from 1.
    """

    expires_at: str
    """
    The lease expires at this time unless a heartbeat extends it.
    """

    heartbeat_interval_seconds: int
    definition: Definition | None
    """
    The version that the task names, with what the task gives itself in place of its values; null without one.
    """

    dependencies: NotRequired[list[LeaseDependency]]
    """
    What the task comes after, in the order of its `after`; absent without it.
    """

    resume: NotRequired[Resume | None]
    """
    Of a task that was suspended, to go on with it; else absent.
    """


class Catalogue(TypedDict):
    skills: list[SkillFields]
    facets: SkillFacets
    total: int
    """
    Number of all matching skills.
    """

    next_cursor: str | None
    """
    The `cursor` of the next page; null after the last.
    """


class Leases(TypedDict):
    leases: list[Lease]
