// Generated from the OpenAPI document by `npm run generate -w clients/sdk`. Do not edit.
export interface paths {
    "/protected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the authenticated user */
        get: operations["readProtected"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public keys that verify access tokens
         * @description A JWK Set (RFC 7517). It holds the signing key and, during a key rotation, the previous or the next one. A token names its key in `kid`. The set is empty if tokens are signed with a shared secret (HS256).
         */
        get: operations["readJwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an access token
         * @description The grants `password` (RFC 6749 section 4.3) and `refresh_token` (section 6). A refresh token is replaced at each use; the last one ends after 7 days, and 30 days after the sign-in. The one before gets the same successor within 10 seconds; any older one ends the session. Other fields of the form are ignored.
         */
        post: operations["issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a token
         * @description RFC 7009. A refresh token ends with its whole session and all access tokens made from it; an access token ends alone. The answer is the same for a token that is not valid. Other fields of the form are ignored.
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the session of the request
         * @description Who sent the request, by any credentials, and what it may do.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in a browser
         * @description Sets a cookie. The session ends 12 hours after its last request, at most 7 days after the sign-in.
         */
        post: operations["createSession"];
        /**
         * Sign out
         * @description Ends the session of the request and removes the cookie. A bearer token ends with all tokens of its session. Keys and external users have no session: nothing ends.
         */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user's sessions, oldest first
         * @description At most 100: a further one ends the oldest. Access tokens without a refresh token are not among them.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description One of the own, or any with the scope `users:admin`. Its access tokens end with it.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List users, oldest first */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description Without a password, the user can sign in once a reset code was used.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a user */
        get: operations["getUser"];
        /**
         * Change the role of a user, disable or enable a user
         * @description Disabling ends all sessions, tokens and reset codes of the user; enabling does not restore them.
         */
        put: operations["replaceUser"];
        post?: never;
        /** Delete a user with all sessions, tokens and API keys */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the user who is signed in */
        get: operations["getOwnUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the password of the user who is signed in
         * @description Ends all sessions and tokens of the user, except the one that did it, and voids a reset code.
         */
        put: operations["changeOwnPassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/password-resets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a code that sets a new password
         * @description Valid once, for an hour. A new code voids the one before. Hand it to the user; it is shown this once.
         */
        post: operations["createPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/password-resets/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set a new password with a reset code
         * @description Ends all sessions and tokens of the user. A password that is refused leaves the code valid.
         */
        put: operations["usePasswordReset"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys, oldest first
         * @description One's own; with `users:admin` all, those of `API_KEYS` first. Expired keys are listed for 30 days.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The answer has the key itself, which is shown this once. Either `role` or `scopes` must be given.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an API key, without the key itself */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Delete an API key
         * @description It is refused everywhere within a moment, and so are the keys that rotations replaced.
         */
        delete: operations["deleteApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{key_id}/rotations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the text of an API key
         * @description Id, name, scopes, agents and expiry stay. The old text works for `grace_seconds` more; with 0, only the new one works from now on.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or export audit events
         * @description Returns a JSON array, or with `Accept: application/x-ndjson` one event a line: without `limit`, all that are kept. A page of filtered events looks at 10,000 events at most; `Link` leads on.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List agents */
        get: operations["listAgents"];
        put?: never;
        /** Create an agent */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check an agent and its definition
         * @description Stores nothing. A fault is the same response as when it is stored.
         */
        post: operations["checkAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an agent */
        get: operations["getAgent"];
        /**
         * Replace an agent
         * @description Replaces name and type, and the owner only if the query has it. Does not create an agent.
         */
        put: operations["replaceAgent"];
        post?: never;
        /** Delete an agent and its tasks */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read since when and why an agent is paused */
        get: operations["readPause"];
        /**
         * Pause an agent
         * @description Then no task of the agent is leased. Tasks that run go on, and new ones can be created. An agent that is paused keeps its `paused_at`; its `reason` changes.
         */
        put: operations["pauseAgent"];
        post?: never;
        /**
         * Resume an agent
         * @description Workers that wait get its tasks at once. Also successful if the agent is not paused.
         */
        delete: operations["resumeAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/definition": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the definition of an agent */
        get: operations["readDefinition"];
        /**
         * Replace the definition of an agent
         * @description Makes a new version of all fields, which tasks that are created from now on name. Without any difference to the current version it makes none.
         */
        put: operations["replaceDefinition"];
        post?: never;
        /**
         * Delete the definition of an agent
         * @description Its versions stay. Also successful if the agent has no definition.
         */
        delete: operations["deleteDefinition"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/definition/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a definition
         * @description Kept are the last 500 and all that a task names, at most 16 MiB: a page may have fewer than `limit` entries, and `X-Total-Count` counts removed ones too.
         */
        get: operations["listDefinitionVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/definition/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a version of a definition */
        get: operations["readDefinitionVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the tasks of all agents
         * @description A task must match all filters. A filter value that no task has yields an empty list. A page of large tasks may have fewer than `limit` entries. While tasks of deleted agents are being removed, a page may have fewer or none, and `X-Total-Count` includes them. The `next` link continues after the page. A search by `q`, `error_code`, `model`, `created_by` or `min_duration_seconds` looks at 10,000 tasks or 16 MiB of them at most: its page may have fewer than `limit` entries, or none, though the `next` link continues after the last task that it has looked at, whose id has its time; `X-Total-Count` counts the tasks that match the other filters.
         */
        get: operations["searchTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an agent's tasks
         * @description A page of large tasks may have fewer than `limit` entries. Its `next` link continues after the last one.
         */
        get: operations["listAgentTasks"];
        put?: never;
        /** Create a task */
        post: operations["createTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/task-batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create up to 500 tasks
         * @description Returns one result for each task, in order. An invalid task does not affect the others. Many tasks are stored in steps: after an error, repeat the request with its `Idempotency-Key` to store the rest.
         */
        post: operations["createTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/task-batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create up to 500 tasks of any agents that come after each other
         * @description All or none: the first fault refuses the whole, unless `partial` is true. Then each task that is at fault is refused, and those that come after it. They are stored in steps; what an interruption leaves is created within seconds.
         */
        post: operations["createTaskGraph"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a task, or wait until it ends or needs input */
        get: operations["getTask"];
        /**
         * Replace a pending task
         * @description Replaces all client-supplied fields. A missing field takes its default.
         */
        put: operations["replaceTask"];
        post?: never;
        /**
         * Delete a task
         * @description Revokes the lease if the task is running.
         */
        delete: operations["deleteTask"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}/cancellation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Cancel a task
         * @description Cancels a pending task at once. The same holds for one that waits for a person without a worker. The worker of another one receives the request with its next heartbeat. If the worker does not respond, the task is cancelled when its lease expires. Idempotent.
         */
        put: operations["cancelTask"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}/retries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a task like one that has ended
         * @description The new task has all that a client gave the ended one but its times, and names it in `retry_of`. It may start at once, and expires after 24 h. What it came after and has completed is taken over; in place of what has failed, name others in `after`, or retry that `with_dependencies`: else 422.
         */
        post: operations["retryTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List attempts
         * @description The last 1,000, oldest first. Released attempts are listed with `all=true` only; suspended and parked ones always, with the number of the attempt that goes on.
         */
        get: operations["listTaskAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}/thread": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tasks of a conversation
         * @description The task with those that it continues and that continue it, and so on: at most the 100 that were created nearest to it, oldest first. A page of large tasks may have fewer.
         */
        get: operations["getTaskThread"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a task comes after, and what comes after it
         * @description All tasks that are connected with it, at most the 500 nearest, by creation. Tasks that the caller may not see, or that were deleted, are left out.
         */
        get: operations["getTaskGraph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/input-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what tasks ask
         * @description The input requests of all agents, oldest first by default. A page of large requests may have fewer than `limit` entries. Its `next` link continues.
         */
        get: operations["listInputRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}/input-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a task has asked
         * @description Of all states, oldest first by default. A page of large requests may have fewer than `limit` entries.
         */
        get: operations["listTaskInputRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}/input-requests/{request_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an input request */
        get: operations["getInputRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}/input-requests/{request_id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Answer an input request
         * @description With options, a text or values, as the request allows. Of several answers the first counts; the same again returns the request.
         */
        put: operations["answerInputRequest"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was said to a task
         * @description Oldest first by default. A page of large messages may have fewer than `limit` entries.
         */
        get: operations["listMessages"];
        put?: never;
        /**
         * Say something to a task
         * @description `queue`: for the turn after this one; `steer`: for the running turn, where the agent can take it; `interrupt`: stops the turn and goes on with the text. A pending task has it in its first prompt. A task has at most 100 messages that are not delivered, and 500 in its life.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}/interruption": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Interrupt a running task
         * @description Its agent stops what it does; within 5 s the task is `input_required` with a question: continue, stop, or what else it is to do. Idempotent.
         */
        put: operations["interruptTask"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leases/{lease_id}/input-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a person
         * @description The task is `input_required` until all its open requests are answered, withdrawn or expired with a default; meanwhile the clock of `timeout_seconds` stands still. A task has at most 16 open requests, and 200 in its life.
         */
        post: operations["createInputRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leases/{lease_id}/input-requests/{request_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw an input request
         * @description Idempotent. An answered request stays answered.
         */
        delete: operations["withdrawInputRequest"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leases/{lease_id}/messages/{message_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Report how the agent took a message
         * @description Delivered as `interrupt`, it withdraws the input requests of the turn that it stopped. Idempotent.
         */
        put: operations["reportMessage"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leases/{lease_id}/interruption": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Confirm that the agent has stopped its turn
         * @description Opens the question to a person at once. Idempotent.
         */
        put: operations["confirmInterruption"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leases/{lease_id}/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what people say to a task
         * @description Answers, messages, interruptions and a cancellation, in order, at most 100. What was not acknowledged by `after` is there for the next attempt.
         */
        get: operations["readInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leases/{lease_id}/suspension": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Stop working on a task that waits for a person
         * @description Ends the lease; the attempt does not count. The task stays `input_required` until its requests are answered, and is then reserved for this worker for 60 s, or for 24 h if its session has no `data`. The same again is 200.
         */
        put: operations["suspendLease"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leases/{lease_id}/deltas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pass on live text
         * @description To clients that follow the log now. It is stored nowhere, and dropped under load: the entry that follows is the truth. At most 10 a second.
         */
        post: operations["sendDelta"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}/waiting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read why a task waits */
        get: operations["readWaiting"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/leases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lease an agent's next tasks
         * @description Leases tasks by priority, then first in, first out. Waits for a first task for at most `wait_seconds`.
         */
        post: operations["leaseAgentTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List leases
         * @description The leases that workers hold, without their tokens, by the creation of their tasks. A page of large tasks, or of leases that have just ended, may have fewer than `limit` entries. Its `next` link continues. `X-Total-Count` also counts suspended tasks, whose leases have ended.
         */
        get: operations["listLeases"];
        put?: never;
        /**
         * Lease the next tasks of agents of the given types
         * @description Agents take turns, so that an agent with many tasks does not starve the others. Priority applies within an agent. Waits for a first task for at most `wait_seconds`.
         */
        post: operations["leaseTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leases/{lease_id}/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Extend a lease and check for a cancellation request
         * @description The lease then expires `lease_seconds` from now, but no later than the `timeout_seconds` of the attempt.
         */
        put: operations["heartbeatLease"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leases/{lease_id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Report the result of a task
         * @description Ends the lease. `failed` returns the task to the queue for its next attempt, unless no attempt is left or `retryable` is false. A repeated identical report returns the current task.
         */
        put: operations["putLeaseResult"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leases/{lease_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Return a task to the queue
         * @description The attempt does not count. The task goes to the back of the queue of its priority.
         */
        delete: operations["releaseLease"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leases/{lease_id}/log-entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add entries to the log of a task
         * @description A task keeps its last 10,000 entries, and at most 5 MiB of text and data. Entries are added in order; after an error, some of many large ones may have been added. The body may have 1.5 MiB.
         */
        post: operations["addLogEntries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}/log-entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or stream the log of a task
         * @description Returns a JSON array, or with `Accept: text/event-stream` a stream of Server-Sent Events that starts with the past entries and closes after the task ends, with a comment every 15 s. If entries were dropped, the first one says so. A page of large entries may have fewer than `limit`; its `Link` continues.
         */
        get: operations["listLogEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bulk-actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel, retry or delete all tasks that match
         * @description `cancel` changes tasks that have not ended, `retry` and `delete` those that have; others do not count. Only tasks that exist already are changed. With `dry_run` they are only counted. The action runs in the background; follow it by `GET /bulk-actions/{id}`.
         */
        post: operations["createBulkAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bulk-actions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the progress of a bulk action
         * @description Kept for a week after its end.
         */
        get: operations["readBulkAction"];
        put?: never;
        post?: never;
        /**
         * Stop a bulk action
         * @description What it has done remains.
         */
        delete: operations["stopBulkAction"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/budgets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List budgets
         * @description Also those of the definitions of agents. The period that ends first comes first.
         */
        get: operations["listBudgets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/budgets/{scope}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a budget */
        get: operations["readBudget"];
        /**
         * Set a budget
         * @description What a period has cost counts for a new amount too. That of an agent is set by its definition. Once a budget is used up, nothing more of its scope is leased in the period.
         */
        put: operations["replaceBudget"];
        post?: never;
        /**
         * Delete a budget
         * @description Also successful without one. That of an agent is deleted by its definition.
         */
        delete: operations["deleteBudget"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workers
         * @description The workers that requested tasks or used a lease in the last hour, by `worker_id`; at most the last 10,000. One that is no longer counted by `GET /stats`, after 5 minutes, is lost.
         */
        get: operations["listWorkers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count agents, tasks, leases, workers and usage
         * @description Exact at one moment. Tasks of deleted agents count until they are removed; `by_type` counts a task by the type that its agent had at its creation. `usage` counts attempts that have ended, since the fleet exists: those of deleted tasks and agents too, but for those that ran when their agent was deleted.
         */
        get: operations["readStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what an agent has used
         * @description Counts the attempts of its tasks that have ended, those of deleted tasks too.
         */
        get: operations["readAgentUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what happened to tasks over time
         * @description Exact counts per step, kept for 48 h, also of tasks that were deleted. The window ends with the current minute; it has at most 720 steps. `step` is a multiple of 60 and divides `window`. An unknown type or agent, and an agent of another type, have zeros.
         */
        get: operations["readSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats/spend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what was used over time
         * @description Counts every attempt when it ends, released and suspended ones too, also of tasks that were deleted. `key` is null for what has none. Steps are hours, days or months of the time zone, as many as have a part of the time from `from` to `to`: at most 90 days by hour, which are kept for 90 days, 400 by day, and 36 months. Days of more than 90 days ago are those of UTC. In a quarter of an hour, and in a day of more than 90 days ago or of UTC, 98 names count apart, and `other` has all further ones.
         */
        get: operations["readSpend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or stream events of the fleet
         * @description Returns a JSON array, or with `Accept: text/event-stream` a stream of Server-Sent Events with a comment every 15 s. To resume a stream, send the id of the last event as `Last-Event-ID`. One `resync` event replaces events that are no longer stored. The last 100,000 events are stored. Without `Last-Event-ID` a stream has new events only. Filters are combined. With filters, or an API key that is limited to agents, a page may have fewer than `limit` events, or none, although more follow. Its `Link` then continues. A `resync` always matches.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or stream events of an agent and its tasks
         * @description Returns a JSON array, or with `Accept: text/event-stream` a stream of Server-Sent Events with a comment every 15 s. To resume a stream, send the id of the last event as `Last-Event-ID`. One `resync` event replaces events that are no longer stored. The last 1,000 events are stored. Without `Last-Event-ID` a stream has new events only.
         */
        get: operations["listAgentEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/tasks/{task_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or stream events of a task
         * @description Returns a JSON array, or with `Accept: text/event-stream` a stream of Server-Sent Events with a comment every 15 s. To resume a stream, send the id of the last event as `Last-Event-ID`. One `resync` event replaces events that are no longer stored. A stream starts with the task's past events and closes after the task ends.
         */
        get: operations["listTaskEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/skills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List and search the indexed skills with their metadata
         * @description Returns all skills unless a filter or a page is requested. Needs no credentials.
         */
        get: operations["listSkills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalogue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the indexed skills a page at a time, with facets
         * @description Finds the skills that `/api/skills` does. Needs no credentials.
         */
        get: operations["getCatalogue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/skills/{skill_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one skill
         * @description Needs no credentials.
         */
        get: operations["getSkill"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/skills/{skill_id}/skill.md": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the SKILL.md of a skill
         * @description The file itself, at most 256 KiB, fetched from where the skill lives (GitHub, GitLab or its raw address) and cached for some minutes. It is not checked: read it before you use it. Status 502 and 504 also mean that its host failed or did not respond in time, and 503 that too many files are being fetched. Needs no credentials.
         */
        get: operations["readSkillFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/skills/{skill_id}/.well-known/agent-skills/index.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Discover one skill
         * @description The index of Agent Skills Discovery 0.2.0 with this skill only, for `npx skills add <registry>/api/skills/<skill_id>`. Its digest is the one that the source of the skill declares for the SKILL.md, else it is computed from the SKILL.md as fetched; errors are those of the SKILL.md. Needs no credentials.
         */
        get: operations["readSkillIndex"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search skills in the format of the `skills` package
         * @description For `SKILLS_API_URL=<registry> npx skills find <words>`. Other clients get more from `/api/skills?q=`. Finds skills only, no plugins. Needs no credentials.
         */
        get: operations["searchSkills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the categories and tags of the skills
         * @description Each has its number of skills. Needs no credentials.
         */
        get: operations["listCategories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggest completions for a search
         * @description Returns names of skills, tags, authors and categories that begin with the text. Needs no credentials.
         */
        get: operations["listSuggestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes since a snapshot
         * @description The net additions, changes and removals. A client that keeps a copy of the list can update it without a full download. Needs no credentials.
         */
        get: operations["listChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/feed.atom": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read new skills as an Atom feed
         * @description An Atom feed (RFC 4287) of the 100 newest skills, newest first. If fewer are known, the most recently updated skills follow. Needs no credentials.
         */
        get: operations["readFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/agent-skills/index.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Discover skills
         * @description The index of Agent Skills Discovery 0.2.0. It lists each valid skill with a known SKILL.md address and a digest from its source. Verify the digest before you use a skill. Needs no credentials.
         */
        get: operations["readWellKnownIndex"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/registry.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the raw registry file
         * @description Returns the bytes that were fetched from the source, unchanged. Needs no credentials.
         */
        get: operations["getRegistryFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/registry/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the sources of the skills and their freshness
         * @description Includes the rejected records and the corrections. Needs no credentials.
         */
        get: operations["getRegistryStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Liveness check */
        get: operations["readHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Readiness check */
        get: operations["readReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get this OpenAPI document */
        get: operations["readOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/download/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a client of this version
         * @description `fleet.tgz` is the package for npm, with the command line, the worker and the SDK for TypeScript: `npx --package <address>/download/fleet.tgz#<version> fleet worker`, where npx keeps an earlier one without the version. `agent_fleet-<version>-py3-none-any.whl` is the package for Python, for `pip install`.
         */
        get: operations["downloadClient"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open Swagger UI, which can send requests */
        get: operations["showDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/redoc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open the ReDoc reference */
        get: operations["showRedoc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AuthenticatedUser: {
            /** @description E-mail address. */
            user: string;
        };
        /** @description The error body of a 401, of an invalid API key, and of a record that does not exist. */
        Detail: {
            detail: string;
        };
        ErrorBody: {
            /**
             * @description Error code, from a closed list.
             * @example validation_error
             */
            error: string;
            /** @description Explanation for people. */
            message: string;
            details?: components["schemas"]["ErrorDetails"];
        };
        ErrorDetails: {
            /** @description Every invalid field of a validation error. */
            fields?: components["schemas"]["FieldError"][];
            /**
             * @description The scope that is missing.
             * @example tasks:write
             */
            required?: string;
        };
        /** @description An invalid field. `path` joins the keys with dots. */
        FieldError: {
            path: string;
            code: string;
            message: string;
        };
        PublicKeys: {
            keys: components["schemas"]["PublicKey"][];
        };
        /** @description A JSON Web Key (RFC 7517, RFC 7518 section 6). */
        PublicKey: components["schemas"]["RsaPublicKey"] | components["schemas"]["EcPublicKey"];
        RsaPublicKey: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kty: "RSA";
            n: string;
            e: string;
            /** @enum {string} */
            alg: "RS256";
            /** @enum {string} */
            use: "sig";
            /** @description RFC 7638 thumbprint. */
            kid: string;
        };
        EcPublicKey: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kty: "EC";
            /** @enum {string} */
            crv: "P-256";
            x: string;
            y: string;
            /** @enum {string} */
            alg: "ES256";
            /** @enum {string} */
            use: "sig";
            /** @description RFC 7638 thumbprint. */
            kid: string;
        };
        AccessToken: {
            access_token: string;
            /** @enum {string} */
            token_type: "bearer";
            /** @description Seconds. */
            expires_in: number;
            /** @description With `offline_access`, and after a refresh. */
            refresh_token?: string;
            /** @description If the request has one. */
            scope?: string;
        };
        TokenError: components["schemas"]["ErrorBody"] | components["schemas"]["OAuthError"];
        /** @description The error body of RFC 6749 section 5.2. */
        OAuthError: {
            error: string;
            error_description: string;
        };
        TokenRequest: {
            /**
             * @description `password` (the default) or `refresh_token`.
             * @default password
             * @enum {string}
             */
            grant_type?: "password" | "refresh_token";
            /** @description For `password`: the e-mail address of the user. */
            username?: string;
            /**
             * Format: password
             * @description For `password`.
             */
            password?: string;
            /** @description For `refresh_token`. */
            refresh_token?: string;
            /** @description Scopes, separated by blanks: narrows the token. With `offline_access`, there is a refresh token too; alone, it means all scopes of the role. */
            scope?: string;
        };
        RevocationRequest: {
            /** @description An access or refresh token. */
            token: string;
            /** @description Ignored. */
            token_type_hint?: string;
        };
        SessionInput: {
            /** @description The e-mail address of the user. */
            username: string;
            /** Format: password */
            password: string;
        };
        CurrentSession: {
            /** @description The e-mail address, or the name of the key or external user. */
            user: string;
            /**
             * @description Null for keys and external users.
             * @enum {string|null}
             */
            role: "viewer" | "worker" | "approver" | "operator" | "admin" | null;
            scopes: ("agents:read" | "agents:write" | "tasks:read" | "tasks:write" | "tasks:answer" | "leases:write" | "events:read" | "budgets:admin" | "registry:admin" | "audit:read" | "users:admin")[];
            /**
             * Format: date-time
             * @description The end of the session in any case; null for credentials without one.
             */
            expires_at: string | null;
        };
        Refusal: components["schemas"]["ErrorBody"] | components["schemas"]["Detail"];
        Session: {
            /** @description A UUIDv7, given by the service. */
            id: string;
            /**
             * @description `refresh`: a refresh token with its successors. `browser`: signed in by `POST /session`.
             * @enum {string}
             */
            kind: "refresh" | "browser";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description To within a minute.
             */
            last_used_at: string;
            /** @description The IP address that it was made from. */
            address: string;
            /** @description The `User-Agent` that it was made with, at most 200 characters. */
            user_agent: string;
        };
        User: {
            /** @description A UUIDv7, given by the service. */
            id: string;
            /** @description In lower case. */
            email: string;
            /**
             * @description Decides what the user, and the keys of the user, may do.
             * @enum {string}
             */
            role: "viewer" | "worker" | "approver" | "operator" | "admin";
            /** @description A disabled user cannot sign in, and has no valid tokens and keys. */
            disabled: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_sign_in_at: string | null;
        };
        UserInput: {
            /**
             * Format: email
             * @description Case does not matter.
             */
            email: string;
            /**
             * @description Decides what the user, and the keys of the user, may do.
             * @enum {string}
             */
            role: "viewer" | "worker" | "approver" | "operator" | "admin";
            /** @description Taken in NFC, else exactly as sent. Not a frequent password, nor the e-mail address. */
            password?: string;
        };
        UserReplacement: {
            /**
             * @description Decides what the user, and the keys of the user, may do.
             * @enum {string}
             */
            role: "viewer" | "worker" | "approver" | "operator" | "admin";
            disabled: boolean;
        };
        PasswordChange: {
            current_password: string;
            /** @description Taken in NFC, else exactly as sent. Not a frequent password, nor the e-mail address. */
            new_password: string;
        };
        PasswordReset: {
            code: string;
            /** Format: date-time */
            expires_at: string;
        };
        NewPassword: {
            /** @description Taken in NFC, else exactly as sent. Not a frequent password, nor the e-mail address. */
            new_password: string;
        };
        ApiKey: {
            /** @description Given by the service. */
            id: string;
            name: string;
            /** @description What the key may do now: a role of its owner that shrinks, shrinks the key. */
            scopes: ("agents:read" | "agents:write" | "tasks:read" | "tasks:write" | "tasks:answer" | "leases:write" | "events:read" | "budgets:admin" | "registry:admin" | "audit:read" | "users:admin")[];
            /** @description The only agents of the key; null: all. */
            agent_ids: string[] | null;
            /** @description The e-mail address of the user who made it, else the principal; null for a key of `API_KEYS`. */
            owner: string | null;
            /**
             * @description `environment`: a key of `API_KEYS`.
             * @enum {string}
             */
            source: "api" | "environment";
            /** Format: date-time */
            created_at: string | null;
            /**
             * Format: date-time
             * @description Expired keys are listed for another 30 days.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description To within a minute; null: never.
             */
            last_used_at: string | null;
            rate_limit_per_minute: number | null;
        };
        CreatedApiKey: {
            /** @description Given by the service. */
            id: string;
            name: string;
            /** @description What the key may do now: a role of its owner that shrinks, shrinks the key. */
            scopes: ("agents:read" | "agents:write" | "tasks:read" | "tasks:write" | "tasks:answer" | "leases:write" | "events:read" | "budgets:admin" | "registry:admin" | "audit:read" | "users:admin")[];
            /** @description The only agents of the key; null: all. */
            agent_ids: string[] | null;
            /** @description The e-mail address of the user who made it, else the principal; null for a key of `API_KEYS`. */
            owner: string | null;
            /**
             * @description `environment`: a key of `API_KEYS`.
             * @enum {string}
             */
            source: "api" | "environment";
            /** Format: date-time */
            created_at: string | null;
            /**
             * Format: date-time
             * @description Expired keys are listed for another 30 days.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description To within a minute; null: never.
             */
            last_used_at: string | null;
            rate_limit_per_minute: number | null;
            /** @description The key, for the header `X-API-Key`. It is shown this once. */
            key: string;
        };
        ApiKeyInput: {
            /** @description Need not be unique. */
            name: string;
            /**
             * @description The scopes of this role; instead of `scopes`.
             * @enum {string|null}
             */
            role?: "viewer" | "worker" | "approver" | "operator" | "admin" | null;
            /** @description What the key may do; instead of `role`. At most the scopes of the caller. */
            scopes?: ("agents:read" | "agents:write" | "tasks:read" | "tasks:write" | "tasks:answer" | "leases:write" | "events:read" | "budgets:admin" | "registry:admin" | "audit:read" | "users:admin")[] | null;
            /** @description The only agents that the key may see and change. Default: all. */
            agent_ids?: string[] | null;
            /**
             * Format: date-time
             * @description At most 366 days ahead. Default: 90 days ahead.
             */
            expires_at?: string | null;
            /** @description Requests per minute. It can only lower the limit of the installation. */
            rate_limit_per_minute?: number | null;
        };
        ApiKeyRotation: {
            /** @default 86400 */
            grace_seconds?: number;
        };
        AuditEvent: {
            /** @description A UUIDv7. Ids sort by time. */
            id: string;
            /** Format: date-time */
            at: string;
            actor: components["schemas"]["AuditActor"];
            /** @description Such as `user.created` or `token.refused`. */
            action: string;
            target: components["schemas"]["AuditTarget"] | null;
            /** @enum {string} */
            outcome: "success" | "failure";
            /** @description The IP address of the client. */
            address: string | null;
            /** @description The `X-Request-Id` of the request. */
            request_id: string | null;
            /** @description What was decided: of an approval `tool`, `digest` and `decision`. Else absent. */
            details?: {
                [key: string]: string;
            };
        };
        /** @description Who did it. `anonymous`: nobody, or an account that could not sign in. */
        AuditActor: {
            /** @enum {string} */
            type: "user" | "key" | "oidc" | "anonymous";
            id: string | null;
            /** @description The e-mail address of the user, or the name of the key. */
            name: string | null;
        };
        AuditTarget: {
            type: string;
            id: string;
        };
        GraphTaskInput: {
            /** @description Id of the agent. */
            agent_id: string;
            /** @description Names it in the batch: `after` of others may have `@<key>`. */
            key?: string | null;
            /** @description The instructions of the task. */
            message: string;
            /** @description Any JSON, at most 256 KiB. */
            input?: unknown;
            /**
             * @description 1 is the highest.
             * @default 5
             */
            priority?: number;
            /**
             * Format: date-time
             * @description Earliest start; up to 30 days ahead.
             */
            scheduled_at?: string | null;
            /**
             * Format: date-time
             * @description The task fails unless it has started by then. Default: 24 h after creation or `scheduled_at`.
             */
            expires_at?: string | null;
            /**
             * @description Limit of one attempt. Default: that of the agent's definition, else this one.
             * @default 3600
             */
            timeout_seconds?: number;
            /** @default 3 */
            max_attempts?: number;
            retry_policy?: components["schemas"]["RetryPolicyInput"];
            tags?: string[] | null;
            /** @description At most 16 KiB. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Labels that a worker must have, besides those of the agent's definition. */
            requires?: string[] | null;
            /** @description Of the tasks of an agent with the same key, at most one runs at a time. */
            concurrency_key?: string | null;
            /** @description The ended task of the same agent that this one retries. */
            retry_of?: string | null;
            /** @description Ids of tasks, and `@<key>` of tasks of the batch. */
            after?: string[] | null;
            /**
             * @description What it does when one of them does not complete: `fail`, with the code `dependency_failed`, or `run`.
             * @default fail
             * @enum {string|null}
             */
            after_failure?: "fail" | "run" | null;
            /** @description Skills of the registry that the agent gets. */
            skills?: (string | components["schemas"]["PinnedSkill"])[] | null;
            /** @description The git repository in whose clone the agent works. */
            workspace?: components["schemas"]["WorkspaceInput"] | null;
            /** @description The model to use. Default: that of the worker. */
            model?: string | null;
            /** @description JSON Schema of the `output` in the result: draft 2020-12, or 7 by its `$schema`. At most 64 KiB and 64 levels. Each `$ref` begins with `#`. Patterns have at most 1,024 characters. */
            output_schema?: {
                [key: string]: unknown;
            } | null;
            /** @description What all attempts together may cost. From then on, a failed attempt is not retried. */
            max_cost?: components["schemas"]["MaxCost"] | null;
            /** @description The ended task of the same agent whose session this one continues. Its worker is preferred. */
            continue_of?: string | null;
        };
        /** @description The delay of a retry after a failed attempt. */
        RetryPolicyInput: {
            /**
             * @default exponential
             * @enum {string}
             */
            strategy?: "fixed" | "exponential";
            /** @default 5 */
            delay_seconds?: number;
            /** @default 300 */
            max_delay_seconds?: number;
            /** @default 0.5 */
            jitter?: number;
        };
        PinnedSkill: {
            id: string;
            /** @description Of the exact bytes of its SKILL.md. */
            digest: string;
        };
        WorkspaceInput: {
            /** @description An http, https, ssh, git or file URL, or `user@host:path`. Without credentials, which the worker has, a query or a fragment. */
            repository: string;
            /** @description A branch, a tag or a commit. Default: that of the repository. */
            ref?: string | null;
        };
        /** @description What all attempts together may cost. */
        MaxCost: {
            /** @description Six decimals are kept. */
            amount: number;
            /** @enum {string} */
            currency: "USD";
        };
        /** @description A record of a list; with `fields`, the requested ones of its fields and `id`. */
        AgentFields: {
            /** @description A UUIDv7, given by the service. */
            id: string;
            name?: string;
            type?: string;
            status?: components["schemas"]["AgentState"];
            /** Format: date-time */
            created_at?: string;
            /**
             * Format: date-time
             * @description Start of the pause; only if `fields` has it.
             */
            paused_at?: string | null;
            /** @description Only if `fields` has it, or the list is that of an owner. */
            owner?: string | null;
        };
        /**
         * @description Set by the service: `active` while a task runs, `waiting` while none runs and one is `input_required`, afterwards by the outcome of the last running task.
         * @enum {string}
         */
        AgentState: "idle" | "active" | "waiting" | "error" | "offline";
        AgentCheck: {
            definition: components["schemas"]["DefinitionContent"] | null;
        };
        DefinitionContent: {
            description: string | null;
            instructions: string | null;
            runtime: string | null;
            model: string | null;
            effort: string | null;
            skills: (string | components["schemas"]["PinnedSkill"])[];
            mcp_servers: components["schemas"]["McpServer"][];
            permissions: components["schemas"]["Permissions"] | null;
            workspace: components["schemas"]["Workspace"] | null;
            output_schema: {
                [key: string]: unknown;
            } | null;
            requires: string[];
            limits: components["schemas"]["Limits"] | null;
            retry_policy: components["schemas"]["RetryPolicy"] | null;
            max_concurrency: number | null;
            budget: components["schemas"]["Budget"] | null;
            tags: string[];
            note: string | null;
        };
        McpServer: {
            name: string;
            url?: string;
            headers?: {
                [key: string]: string | components["schemas"]["SecretReference"];
            };
            command?: string;
            args?: string[];
            env?: {
                [key: string]: string | components["schemas"]["SecretReference"];
            };
        };
        SecretReference: {
            /** @description Name of a secret that the operator has given the worker. */
            secret: string;
            /** @description Stands before its value, as in `Bearer `. */
            prefix?: string;
        };
        Permissions: {
            mode: string | null;
            allow: string[];
            ask: string[];
            deny: string[];
        };
        Workspace: {
            repository: string;
            ref: string | null;
        };
        Limits: {
            timeout_seconds: number | null;
            max_attempts: number | null;
            max_cost: components["schemas"]["MaxCost"] | null;
            max_turns: number | null;
        };
        RetryPolicy: {
            /** @enum {string} */
            strategy: "fixed" | "exponential";
            delay_seconds: number;
            max_delay_seconds: number;
            jitter: number;
        };
        Budget: {
            amount: number;
            /** @enum {string} */
            currency: "USD";
            period: string;
            time_zone: string;
        };
        AgentCheckInput: {
            /** @description Need not be unique. */
            name: string;
            type: string;
            definition?: components["schemas"]["DefinitionInput"] | null;
        };
        DefinitionInput: {
            /** @description For people. */
            description?: string | null;
            /** @description Markdown, which is appended to the runtime's system prompt. At most 64 KiB as UTF-8. */
            instructions?: string | null;
            /** @description Only workers with the label `runtime:<it>` get its tasks. Null: any worker of the type. */
            runtime?: string | null;
            /** @description The model to use. Default: that of the worker. */
            model?: string | null;
            effort?: string | null;
            /** @description Skills of the registry that the agent gets. */
            skills?: (string | components["schemas"]["PinnedSkill"])[] | null;
            /** @description MCP servers that the agent gets. */
            mcp_servers?: (components["schemas"]["McpServerByUrl"] | components["schemas"]["McpServerByCommand"])[] | null;
            permissions?: components["schemas"]["PermissionsInput"] | null;
            /** @description The git repository in whose clone the agent works. */
            workspace?: components["schemas"]["WorkspaceInput"] | null;
            /** @description JSON Schema of the `output` in the result: draft 2020-12, or 7 by its `$schema`. At most 64 KiB and 64 levels. Each `$ref` begins with `#`. Patterns have at most 1,024 characters. */
            output_schema?: {
                [key: string]: unknown;
            } | null;
            /** @description Labels that a worker must have. */
            requires?: string[] | null;
            limits?: components["schemas"]["LimitsInput"] | null;
            retry_policy?: components["schemas"]["RetryPolicyInput"] | null;
            /** @description Tasks of the agent that run at once. */
            max_concurrency?: number | null;
            /** @description What the agent may cost in a period. */
            budget?: components["schemas"]["BudgetInput"] | null;
            /** @description Added to those of its tasks. */
            tags?: string[] | null;
            /** @description Why this version was made. */
            note?: string | null;
        };
        McpServerByUrl: {
            name: string;
            url: string;
            headers?: {
                [key: string]: string | components["schemas"]["SecretReference"];
            };
        };
        McpServerByCommand: {
            name: string;
            command: string;
            /** @default [] */
            args?: string[];
            env?: {
                [key: string]: string | components["schemas"]["SecretReference"];
            };
        };
        /** @description What the agent may do: rules `Tool(pattern)`, as `Bash(git *)`. */
        PermissionsInput: {
            /** @description Null: the worker's. */
            mode?: string | null;
            /** @default [] */
            allow?: string[];
            /**
             * @description What a person is asked about, as an input request.
             * @default []
             */
            ask?: string[];
            /** @default [] */
            deny?: string[];
        };
        LimitsInput: {
            timeout_seconds?: number | null;
            max_attempts?: number | null;
            max_cost?: components["schemas"]["MaxCost"] | null;
            max_turns?: number | null;
        };
        BudgetInput: {
            /** @description Six decimals are kept. 0: nothing is leased. */
            amount: number;
            /**
             * @default USD
             * @enum {string}
             */
            currency?: "USD";
            /** @enum {string} */
            period: "day" | "week" | "month" | "total";
            /**
             * @description A name of the IANA time zone database, in which the period begins.
             * @default UTC
             */
            time_zone?: string;
        };
        Agent: {
            /** @description A UUIDv7, given by the service. */
            id: string;
            name: string;
            type: string;
            status: components["schemas"]["AgentState"];
            /** Format: date-time */
            created_at: string;
        };
        AgentInput: {
            /** @description Need not be unique. */
            name: string;
            type: string;
        };
        Pause: {
            /**
             * Format: date-time
             * @description Start of the pause.
             */
            paused_at: string;
            reason: string | null;
        };
        PauseInput: {
            reason?: string | null;
        };
        Definition: {
            /** @description From 1. Tasks name it as `agent_version`. */
            version: number;
            description: string | null;
            instructions: string | null;
            runtime: string | null;
            model: string | null;
            effort: string | null;
            skills: (string | components["schemas"]["PinnedSkill"])[];
            mcp_servers: components["schemas"]["McpServer"][];
            permissions: components["schemas"]["Permissions"] | null;
            workspace: components["schemas"]["Workspace"] | null;
            output_schema: {
                [key: string]: unknown;
            } | null;
            requires: string[];
            limits: components["schemas"]["Limits"] | null;
            retry_policy: components["schemas"]["RetryPolicy"] | null;
            max_concurrency: number | null;
            budget: components["schemas"]["Budget"] | null;
            tags: string[];
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["DefinitionCreator"] | null;
            note: string | null;
        };
        DefinitionCreator: {
            id: string;
            name: string;
        };
        /** @description A version without its `instructions` and `output_schema`. */
        ListedDefinition: {
            /** @description From 1. Tasks name it as `agent_version`. */
            version: number;
            description: string | null;
            runtime: string | null;
            model: string | null;
            effort: string | null;
            skills: (string | components["schemas"]["PinnedSkill"])[];
            mcp_servers: components["schemas"]["McpServer"][];
            permissions: components["schemas"]["Permissions"] | null;
            workspace: components["schemas"]["Workspace"] | null;
            requires: string[];
            limits: components["schemas"]["Limits"] | null;
            retry_policy: components["schemas"]["RetryPolicy"] | null;
            max_concurrency: number | null;
            budget: components["schemas"]["Budget"] | null;
            tags: string[];
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["DefinitionCreator"] | null;
            note: string | null;
        };
        /** @description A record of a list; with `fields`, the requested ones of its fields and `id`. */
        TaskFields: {
            id: string;
            agent_id?: string;
            message?: string;
            /** @description As the client gave it, else null. */
            input?: unknown;
            /** @enum {string} */
            status?: "pending" | "running" | "input_required" | "completed" | "failed" | "cancelled";
            priority?: number;
            /** Format: date-time */
            scheduled_at?: string | null;
            /** Format: date-time */
            expires_at?: string;
            timeout_seconds?: number;
            max_attempts?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description 0 before the first lease. */
            attempt?: number;
            /** @description As the worker reported it, else null. */
            result?: unknown;
            /** @description The error of the last failed attempt, or why the task ended. */
            error?: components["schemas"]["TaskError"] | null;
            /** @description Progress of the running attempt. */
            progress?: components["schemas"]["Progress"] | null;
            tags?: string[] | null;
            metadata?: {
                [key: string]: unknown;
            } | null;
            retry_of?: string | null;
            skills?: (string | components["schemas"]["PinnedSkill"])[] | null;
            workspace?: components["schemas"]["Workspace"] | null;
            model?: string | null;
            output_schema?: {
                [key: string]: unknown;
            } | null;
            max_cost?: components["schemas"]["MaxCost"] | null;
            continue_of?: string | null;
            /** @description Tasks that continue this one, at most 100. Absent in older tasks. */
            continued_by?: string[];
            /** @description Of all ended attempts, released ones included; null while none has reported any. */
            usage?: components["schemas"]["Usage"] | null;
            /** @description The same of their cost. */
            cost?: components["schemas"]["Cost"] | null;
            /** @description W3C Trace Context of the request that created the task, for the spans of its worker. */
            traceparent?: string | null;
            /** @description The version of the agent's definition that holds for it. Absent in older tasks. */
            agent_version?: number | null;
            /** @description As the client gave it. Absent in older tasks. */
            requires?: string[] | null;
            /** @description Absent in older tasks. */
            concurrency_key?: string | null;
            /** @description As the client gave it. Absent in older tasks. */
            after?: string[] | null;
            /**
             * @description Null without `after`.
             * @enum {string|null}
             */
            after_failure?: "fail" | "run" | null;
            /** @description The user, whose name is an e-mail address, or the API key that created it. Absent in older tasks. */
            created_by?: components["schemas"]["Creator"] | null;
            /** @description The current or last worker. */
            worker_id?: string | null;
            /** Format: date-time */
            cancel_requested_at?: string | null;
            /**
             * Format: date-time
             * @description Earliest start of the retry.
             */
            next_attempt_at?: string | null;
            /**
             * Format: date-time
             * @description Start of the current or last attempt.
             */
            started_at?: string | null;
            /** Format: date-time */
            completed_at?: string | null;
            /** Format: date-time */
            created_at?: string;
            /** Format: date-time */
            updated_at?: string;
        };
        TaskError: {
            code: string;
            message: string;
            retryable: boolean;
        };
        /** @description As the worker reported it; `percent` is 0 to 100. */
        Progress: {
            percent: number | null;
            message: string | null;
        };
        /** @description Tokens of language models. */
        Usage: {
            input_tokens: number;
            /** @description Part of `input_tokens`. */
            cached_input_tokens: number;
            output_tokens: number;
            /** @description Part of `output_tokens`. */
            reasoning_tokens: number;
        };
        Cost: {
            /** @description At most six decimals. */
            amount: number;
            /** @enum {string} */
            currency: "USD";
            /** @description Whether any part was computed from a price list. */
            estimated: boolean;
        };
        Creator: {
            id: string;
            name: string;
        };
        Task: {
            id: string;
            agent_id: string;
            message: string;
            /** @description As the client gave it, else null. */
            input: unknown;
            /** @enum {string} */
            status: "pending" | "running" | "input_required" | "completed" | "failed" | "cancelled";
            priority: number;
            /** Format: date-time */
            scheduled_at: string | null;
            /** Format: date-time */
            expires_at: string;
            timeout_seconds: number;
            max_attempts: number;
            retry_policy: components["schemas"]["RetryPolicy"];
            /** @description 0 before the first lease. */
            attempt: number;
            /** @description As the worker reported it, else null. */
            result: unknown;
            /** @description The error of the last failed attempt, or why the task ended. */
            error: components["schemas"]["TaskError"] | null;
            /** @description Progress of the running attempt. */
            progress: components["schemas"]["Progress"] | null;
            tags: string[] | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            retry_of: string | null;
            skills: (string | components["schemas"]["PinnedSkill"])[] | null;
            workspace: components["schemas"]["Workspace"] | null;
            model: string | null;
            output_schema: {
                [key: string]: unknown;
            } | null;
            max_cost: components["schemas"]["MaxCost"] | null;
            continue_of: string | null;
            /** @description Tasks that continue this one, at most 100. Absent in older tasks. */
            continued_by?: string[];
            /** @description Of all ended attempts, released ones included; null while none has reported any. */
            usage: components["schemas"]["Usage"] | null;
            /** @description The same of their cost. */
            cost: components["schemas"]["Cost"] | null;
            /** @description W3C Trace Context of the request that created the task, for the spans of its worker. */
            traceparent: string | null;
            /** @description The version of the agent's definition that holds for it. Absent in older tasks. */
            agent_version?: number | null;
            /** @description As the client gave it. Absent in older tasks. */
            requires?: string[] | null;
            /** @description Absent in older tasks. */
            concurrency_key?: string | null;
            /** @description As the client gave it. Absent in older tasks. */
            after?: string[] | null;
            /**
             * @description Null without `after`.
             * @enum {string|null}
             */
            after_failure?: "fail" | "run" | null;
            /** @description The user, whose name is an e-mail address, or the API key that created it. Absent in older tasks. */
            created_by?: components["schemas"]["Creator"] | null;
            /** @description The current or last worker. */
            worker_id: string | null;
            /** Format: date-time */
            cancel_requested_at: string | null;
            /**
             * Format: date-time
             * @description Earliest start of the retry.
             */
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description Start of the current or last attempt.
             */
            started_at: string | null;
            /** Format: date-time */
            completed_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        TaskInput: {
            /** @description The instructions of the task. */
            message: string;
            /** @description Any JSON, at most 256 KiB. */
            input?: unknown;
            /**
             * @description 1 is the highest.
             * @default 5
             */
            priority?: number;
            /**
             * Format: date-time
             * @description Earliest start; up to 30 days ahead.
             */
            scheduled_at?: string | null;
            /**
             * Format: date-time
             * @description The task fails unless it has started by then. Default: 24 h after creation or `scheduled_at`.
             */
            expires_at?: string | null;
            /**
             * @description Limit of one attempt. Default: that of the agent's definition, else this one.
             * @default 3600
             */
            timeout_seconds?: number;
            /** @default 3 */
            max_attempts?: number;
            retry_policy?: components["schemas"]["RetryPolicyInput"];
            tags?: string[] | null;
            /** @description At most 16 KiB. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Labels that a worker must have, besides those of the agent's definition. */
            requires?: string[] | null;
            /** @description Of the tasks of an agent with the same key, at most one runs at a time. */
            concurrency_key?: string | null;
            /** @description The ended task of the same agent that this one retries. */
            retry_of?: string | null;
            /** @description Tasks of any agents that it comes after: it starts when all have ended. */
            after?: string[] | null;
            /**
             * @description What it does when one of them does not complete: `fail`, with the code `dependency_failed`, or `run`.
             * @default fail
             * @enum {string|null}
             */
            after_failure?: "fail" | "run" | null;
            /** @description Skills of the registry that the agent gets. */
            skills?: (string | components["schemas"]["PinnedSkill"])[] | null;
            /** @description The git repository in whose clone the agent works. */
            workspace?: components["schemas"]["WorkspaceInput"] | null;
            /** @description The model to use. Default: that of the worker. */
            model?: string | null;
            /** @description JSON Schema of the `output` in the result: draft 2020-12, or 7 by its `$schema`. At most 64 KiB and 64 levels. Each `$ref` begins with `#`. Patterns have at most 1,024 characters. */
            output_schema?: {
                [key: string]: unknown;
            } | null;
            /** @description What all attempts together may cost. From then on, a failed attempt is not retried. */
            max_cost?: components["schemas"]["MaxCost"] | null;
            /** @description The ended task of the same agent whose session this one continues. Its worker is preferred. */
            continue_of?: string | null;
        };
        TaskBatchResults: {
            results: (components["schemas"]["CreatedTask"] | components["schemas"]["RefusedTask"])[];
        };
        CreatedTask: {
            /** @enum {number} */
            status: 201;
            task: components["schemas"]["Task"];
        };
        RefusedTask: {
            /** @description 400, 403 (the quota of pending tasks is used up) or 422. */
            status: number;
            error: components["schemas"]["ErrorBody"];
        };
        TaskBatch: {
            tasks: components["schemas"]["TaskInput"][];
        };
        TaskGraphResults: {
            results: (components["schemas"]["CreatedTask"] | components["schemas"]["RefusedTask"])[];
        };
        TaskGraph: {
            tasks: components["schemas"]["GraphTaskInput"][];
            /** @default false */
            partial?: boolean;
        };
        Cancellation: {
            reason?: string | null;
        };
        RetryInput: {
            /** @description Instead of the message of the ended task. */
            message?: string;
            /** @description Instead of the input of the ended task. */
            input?: unknown;
            /** @description Tasks that it comes after, in place of those that have not completed; those that have completed are taken over. */
            after?: string[];
            /** @description Whether what it came after and has not completed is retried, too, and so on: at most 500 tasks. */
            with_dependencies?: boolean;
            /**
             * @description `latest`: the current version of the agent's definition, not that of the ended task.
             * @enum {string}
             */
            agent_version?: "latest";
        };
        Attempt: {
            number: number;
            worker_id: string;
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            ended_at: string | null;
            /** @enum {string} */
            outcome: "running" | "completed" | "failed" | "cancelled" | "lease_expired" | "timeout" | "released" | "suspended" | "parked";
            error: components["schemas"]["TaskError"] | null;
            /** @description As the worker last reported it; null when it did not. */
            usage: components["schemas"]["Usage"] | null;
            /** @description The same. */
            cost: components["schemas"]["Cost"] | null;
            /** @description The model that was used. The same. */
            model: string | null;
        };
        TaskDependencies: {
            nodes: components["schemas"]["GraphNode"][];
            /** @description Whether there are more. */
            truncated: boolean;
        };
        GraphNode: {
            task_id: string;
            agent_id: string;
            /** @description The first 200 characters of it. */
            message: string;
            /** @enum {string} */
            status: "pending" | "running" | "input_required" | "completed" | "failed" | "cancelled";
            /** @description Tasks of the graph that it comes after. */
            after: string[];
        };
        InputRequest: {
            id: string;
            agent_id: string;
            task_id: string;
            attempt: number;
            key: string;
            /** @enum {string} */
            kind: "approval" | "question" | "form";
            title: string;
            /** @description Markdown. */
            text: string | null;
            tool: components["schemas"]["InputTool"] | null;
            options: components["schemas"]["InputOption"][];
            multiple: boolean;
            allow_text: boolean;
            input_editable: boolean;
            schema: {
                [key: string]: unknown;
            } | null;
            default: components["schemas"]["InputDefault"] | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /** @enum {string} */
            state: "open" | "answered" | "expired" | "withdrawn";
            answer: components["schemas"]["InputAnswer"] | null;
        };
        InputTool: {
            name: string;
            input: unknown;
            /** @description `sha256:` and that of the canonical form (RFC 8785) of `{name, input}`. */
            digest: string;
        };
        InputOption: {
            id: string;
            label: string;
            description: string | null;
            /** @enum {string} */
            role: "allow" | "deny" | "allow_always" | "other";
        };
        /** @description The answer if nobody answers in time. */
        InputDefault: {
            option_ids: string[] | null;
            text: string | null;
            values: {
                [key: string]: unknown;
            } | null;
            tool_input?: unknown;
        };
        InputAnswer: {
            option_ids: string[] | null;
            text: string | null;
            values: {
                [key: string]: unknown;
            } | null;
            /** @description The changed input; absent if it is as requested. */
            tool_input?: unknown;
            /** @description Digest of the tool and input that was allowed. */
            tool_digest: string | null;
            /** @description Null for the default. */
            by: components["schemas"]["Answerer"] | null;
            /** Format: date-time */
            at: string;
        };
        Answerer: {
            id: string;
            name: string;
        };
        InputAnswerInput: {
            /** @description Ids of the chosen options: one, or with `multiple` several. */
            option_ids?: string[] | null;
            /** @description Where the request has `allow_text`. */
            text?: string | null;
            /** @description As the `schema` of the request says. */
            values?: {
                [key: string]: unknown;
            } | null;
            /** @description A changed input, where the request is `input_editable`. */
            tool_input?: unknown;
        };
        Message: {
            id: string;
            /** @enum {string} */
            mode: "queue" | "steer" | "interrupt";
            text: string;
            by: components["schemas"]["MessageSender"] | null;
            /**
             * @description `received`: the worker has it; `delivered`: the agent has it. What was not delivered when an attempt ends is `queued` again, and `dropped` when the task ends.
             * @enum {string}
             */
            state: "queued" | "received" | "delivered" | "dropped";
            /**
             * @description How the agent took it. `queue` before that: the worker cannot steer or interrupt it.
             * @enum {string|null}
             */
            delivered_as: "prompt" | "queue" | "steer" | "interrupt" | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            delivered_at: string | null;
        };
        MessageSender: {
            id: string;
            name: string;
        };
        MessageInput: {
            text: string;
            /**
             * @default queue
             * @enum {string}
             */
            mode?: "queue" | "steer" | "interrupt";
        };
        Interruption: {
            /** @description The request that asks what now; null before it is open. */
            request_id: string | null;
        };
        InputRequestInput: {
            /** @description The token of the lease. */
            token: string;
            /** @description One in the task, not `interruption:…`: the same again returns the same request. */
            key: string;
            /** @enum {string} */
            kind: "approval" | "question" | "form";
            title: string;
            /** @description Markdown, at most 16 KiB. */
            text?: string | null;
            tool?: components["schemas"]["InputToolInput"] | null;
            /** @description Default of an approval: `allow` and `deny`. */
            options?: components["schemas"]["InputOptionInput"][] | null;
            /**
             * @description Whether several options may be chosen; not of an approval.
             * @default false
             */
            multiple?: boolean;
            /** @default true */
            allow_text?: boolean;
            /**
             * @description Whether an answer may change the input of the tool.
             * @default false
             */
            input_editable?: boolean;
            /** @description A flat JSON Schema, as in an elicitation of MCP: an object whose properties are texts, numbers, whole numbers, booleans, an `enum`, or a list of an `enum`. */
            schema?: {
                [key: string]: unknown;
            };
            /** @description The answer if nobody answers in time; without it the task fails then. */
            default?: components["schemas"]["InputAnswerInput"] | null;
            /** @default 86400 */
            expires_in_seconds?: number;
        };
        /** @description What runs if a person allows it. */
        InputToolInput: {
            name: string;
            /** @description Any JSON, at most 64 KiB. */
            input?: unknown;
        };
        InputOptionInput: {
            id: string;
            label: string;
            description?: string | null;
            /**
             * @description What it decides; `allow_always` only for this task.
             * @default other
             * @enum {string}
             */
            role?: "allow" | "deny" | "allow_always" | "other";
        };
        MessageReport: {
            /** @description The token of the lease. */
            token: string;
            /** @enum {string} */
            state: "delivered" | "dropped";
            /** @enum {string|null} */
            as?: "prompt" | "queue" | "steer" | "interrupt" | null;
        };
        InterruptionConfirmation: {
            /** @description The token of the lease. */
            token: string;
        };
        Inbox: {
            items: components["schemas"]["InboxItem"][];
        };
        InboxItem: {
            /** @description Number of the item in its task, from 1. */
            n: number;
            /** @enum {string} */
            type: "answer" | "message" | "interrupt" | "cancel";
            request_id?: string;
            answer?: components["schemas"]["InputAnswer"] | null;
            message_id?: string;
            text?: string;
            /** @enum {string} */
            mode?: "queue" | "steer" | "interrupt";
            /** @description Of a cancellation. */
            reason?: string | null;
        };
        Suspension: {
            /** @description The token of the lease. */
            token: string;
            session?: components["schemas"]["SuspendedSessionInput"] | null;
            /** @description Any JSON, at most 64 KiB, for the next attempt. */
            state?: unknown;
        };
        SuspendedSessionInput: {
            runtime: string;
            /** @description As the runtime names it. */
            id: string;
            /** @description Its files, base64 of at most 1 MiB; without it only this worker can go on. */
            data?: string | null;
        };
        Delta: {
            /** @description The token of the lease. */
            token: string;
            /** @description The tool call whose output it is. */
            call_id?: string | null;
            /** @description At most 16 KiB as UTF-8. */
            text: string;
        };
        Waiting: {
            /**
             * @description Of several reasons the first of these. `dependencies`: tasks of its `after` have not ended. `provider_quota`: it is parked until its provider takes calls again. `budget`: one of its agent, its type, its creator or the fleet is used up. `concurrency`: as many tasks of the agent run as its `max_concurrency` allows, or another one of the same `concurrency_key` runs or goes before. `reserved`: it continues a task, and only the worker of that one may start it for 60 s. `no_worker`: no worker that has the labels of the task and accepts what it needs has requested tasks of the agent or its type for 60 s. Null if the task is not pending.
             * @enum {string|null}
             */
            reason: "paused" | "dependencies" | "scheduled" | "retry_delay" | "provider_quota" | "budget" | "concurrency" | "reserved" | "no_worker" | "in_line" | null;
            /**
             * Format: date-time
             * @description When the reason began to hold; with `no_worker` the last such request, or null.
             */
            since: string | null;
            /** @description With `dependencies`: the tasks that it waits for. */
            on?: string[];
            /** @description With `reserved`: the worker. */
            worker_id?: string;
            /**
             * Format: date-time
             * @description With `reserved`: from then on any worker may start it. With `provider_quota`: it starts then. With `budget`: the end of the period, absent without one, or, if it is that of its creator, when this is checked again.
             */
            until?: string;
            /** @description With `no_worker`: what a worker must accept to get the task. */
            accepts?: string[];
            /** @description With `no_worker`: the labels that no worker has, or those that no one worker has all of. */
            missing_labels?: string[];
            /** @description With `concurrency`: the key, if another task of it goes before. */
            key?: string;
            /** @description With `in_line`: tasks of the agent that go before. */
            ahead?: number;
        };
        Leases: {
            leases: components["schemas"]["Lease"][];
        };
        Lease: {
            id: string;
            /** @description Proves ownership of the lease. Keep it secret. */
            token: string;
            task: components["schemas"]["Task"];
            /** @description Number of the attempt, from 1. */
            attempt: number;
            /**
             * Format: date-time
             * @description The lease expires at this time unless a heartbeat extends it.
             */
            expires_at: string;
            heartbeat_interval_seconds: number;
            /** @description The version that the task names, with what the task gives itself in place of its values; null without one. */
            definition: components["schemas"]["Definition"] | null;
            /** @description What the task comes after, in the order of its `after`; absent without it. */
            dependencies?: components["schemas"]["LeaseDependency"][];
            /** @description Of a task that was suspended, to go on with it; else absent. */
            resume?: components["schemas"]["Resume"] | null;
        };
        LeaseDependency: {
            task_id: string;
            /** @description Its key in the batch that created both, else null. */
            key: string | null;
            /** @enum {string} */
            status: "completed" | "failed" | "cancelled" | "deleted";
            /** @description If it has completed. Absent when it was deleted since, or when the results of all leases of the request have more than 1 MiB with it. */
            result?: unknown;
        };
        Resume: {
            session: components["schemas"]["SuspendedSession"] | null;
            /** @description As it was suspended with, else null. */
            state: unknown;
            /** @description Requests that were answered, or have expired with a default, since. The first heartbeat acknowledges approvals: no later attempt gets them again. */
            answers: components["schemas"]["InputRequest"][];
        };
        SuspendedSession: {
            runtime: string;
            id: string;
            data: string | null;
        };
        AgentLeaseRequest: {
            /** @description Name of the worker, for people. */
            worker_id: string;
            /**
             * @description What the worker takes: `messages` of people, `steer` and `interrupt` during a turn, answers to `input` requests, `definitions` of agents. It gets no task that needs what it does not take.
             * @default []
             */
            accepts?: ("messages" | "steer" | "interrupt" | "input" | "definitions")[];
            /**
             * @description What the worker has. It gets no task that requires a label which is not among these.
             * @default []
             */
            labels?: string[];
            /**
             * @description Providers that take no calls of the worker until a time. Until then it gets no task of their type of agents (`anthropic` claude, `openai` gpt, `google` gemini), nor one whose definition has their runtime.
             * @default []
             */
            paused?: components["schemas"]["ProviderPauseInput"][];
            /**
             * Format: date-time
             * @description Without `paused`: the worker gets no task at all until then.
             */
            paused_until?: string | null;
            /** @default null */
            pause_reason?: string | null;
            /**
             * @description Maximum number of tasks.
             * @default 1
             */
            max_tasks?: number;
            /**
             * @description Seconds to wait for a first task.
             * @default 0
             */
            wait_seconds?: number;
            /**
             * @description Seconds until the lease expires without a heartbeat.
             * @default 60
             */
            lease_seconds?: number;
        };
        ProviderPauseInput: {
            /** @enum {string} */
            provider: "anthropic" | "openai" | "google";
            /** Format: date-time */
            until: string;
            /** @default null */
            reason?: string | null;
        };
        LeaseRequest: {
            /** @description Name of the worker, for people. */
            worker_id: string;
            /**
             * @description What the worker takes: `messages` of people, `steer` and `interrupt` during a turn, answers to `input` requests, `definitions` of agents. It gets no task that needs what it does not take.
             * @default []
             */
            accepts?: ("messages" | "steer" | "interrupt" | "input" | "definitions")[];
            /**
             * @description What the worker has. It gets no task that requires a label which is not among these.
             * @default []
             */
            labels?: string[];
            /**
             * @description Providers that take no calls of the worker until a time. Until then it gets no task of their type of agents (`anthropic` claude, `openai` gpt, `google` gemini), nor one whose definition has their runtime.
             * @default []
             */
            paused?: components["schemas"]["ProviderPauseInput"][];
            /**
             * Format: date-time
             * @description Without `paused`: the worker gets no task at all until then.
             */
            paused_until?: string | null;
            /** @default null */
            pause_reason?: string | null;
            /**
             * @description Maximum number of tasks.
             * @default 1
             */
            max_tasks?: number;
            /**
             * @description Seconds to wait for a first task.
             * @default 0
             */
            wait_seconds?: number;
            /**
             * @description Seconds until the lease expires without a heartbeat.
             * @default 60
             */
            lease_seconds?: number;
            /**
             * @description Default: all types.
             * @default [
             *       "claude",
             *       "gpt",
             *       "gemini"
             *     ]
             */
            types?: string[];
        };
        LeaseInfo: {
            id: string;
            agent_id: string;
            task_id: string;
            worker_id: string;
            /** @description Number of the attempt, from 1. */
            attempt: number;
            /** Format: date-time */
            started_at: string;
            /**
             * Format: date-time
             * @description The lease expires at this time unless a heartbeat extends it.
             */
            expires_at: string;
            /** Format: date-time */
            last_heartbeat_at: string | null;
        };
        HeartbeatAnswer: {
            /** Format: date-time */
            expires_at: string;
            /** @description If true, the worker should stop and report `cancelled`. */
            cancel_requested: boolean;
            /** @description Number of the last item of its inbox; 0 before the first. */
            inbox: number;
            /** @description The least that is left of the budgets of the task; null without one. At 0 the worker ends the attempt with the error `budget_exceeded`; the next heartbeat ends one that goes on. */
            cost_left: components["schemas"]["CostLeft"] | null;
        };
        CostLeft: {
            amount: number;
            /** @enum {string} */
            currency: "USD";
        };
        Heartbeat: {
            /** @description The token of the lease. */
            token: string;
            progress?: components["schemas"]["ProgressInput"] | null;
            /** @description Of the attempt so far. Without it, or with null, the last value stays. */
            usage?: components["schemas"]["UsageInput"] | null;
            /** @description Of the attempt so far. Without it, or with null, the last value stays. */
            cost?: components["schemas"]["CostInput"] | null;
            /** @description The model that the attempt uses, as its provider names it. */
            model?: string | null;
        };
        ProgressInput: {
            /** @default null */
            percent?: number | null;
            message?: string | null;
        };
        UsageInput: {
            input_tokens: number;
            /**
             * @description Those of `input_tokens` read from a cache.
             * @default 0
             */
            cached_input_tokens?: number;
            output_tokens: number;
            /**
             * @description Those of `output_tokens` spent on reasoning.
             * @default 0
             */
            reasoning_tokens?: number;
        };
        CostInput: {
            /** @description Six decimals are kept. */
            amount: number;
            /** @enum {string} */
            currency: "USD";
            /**
             * @description Computed from a price list.
             * @default false
             */
            estimated?: boolean;
        };
        TaskResult: {
            /** @description The token of the lease. */
            token: string;
            /** @enum {string} */
            status: "completed" | "failed" | "cancelled";
            /** @description Any JSON, at most 1 MiB. */
            result?: unknown;
            /** @description The error. Not allowed with `completed`. */
            error?: components["schemas"]["TaskErrorInput"] | null;
            session?: components["schemas"]["SuspendedSessionInput"] | null;
            /** @description Any JSON, at most 64 KiB, for the next attempt. */
            state?: unknown;
            /** @description Of the attempt so far. Without it, or with null, the last value stays. */
            usage?: components["schemas"]["UsageInput"] | null;
            /** @description Of the attempt so far. Without it, or with null, the last value stays. */
            cost?: components["schemas"]["CostInput"] | null;
            /** @description The model that the attempt uses, as its provider names it. */
            model?: string | null;
        };
        TaskErrorInput: {
            code: string;
            message: string;
            /**
             * @description Whether another attempt may succeed. If false, the task ends at once.
             * @default true
             */
            retryable?: boolean;
            /**
             * Format: date-time
             * @description With the code `rate_limited`: when the provider takes calls again. The task is parked until then, for 7 days at most, and the attempt does not count; 50 times at most.
             */
            retry_at?: string | null;
        };
        LogEntriesInput: {
            /** @description The token of the lease. */
            token: string;
            entries: components["schemas"]["LogEntryInput"][];
        };
        LogEntryInput: {
            /**
             * Format: date-time
             * @description Default: now.
             */
            at?: string | null;
            /**
             * @default info
             * @enum {string}
             */
            level?: "debug" | "info" | "warn" | "error";
            /** @enum {string|null} */
            stream?: "stdout" | "stderr" | "agent" | "system" | null;
            /**
             * @default log
             * @enum {string}
             */
            type?: "log" | "text" | "thinking" | "tool_call" | "tool_result" | "file_edit" | "plan" | "usage" | "session";
            /** @description At most 16 KiB as UTF-8. May be empty; only of another type than `log` may it be absent. A lone surrogate becomes U+FFFD. */
            text?: string;
            /** @description The fields of the type: at most 16 KiB as JSON, 64 KiB of `tool_call` and `file_edit`. See `docs/contract.md`. */
            data?: {
                [key: string]: unknown;
            } | null;
        };
        LogEntry: {
            /** @description Number of the entry in its task, from 1, without gaps. */
            id: number;
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            level: "debug" | "info" | "warn" | "error";
            /** @enum {string|null} */
            stream: "stdout" | "stderr" | "agent" | "system" | null;
            /** @enum {string} */
            type: "log" | "text" | "thinking" | "tool_call" | "tool_result" | "file_edit" | "plan" | "usage" | "session" | "message" | "input";
            text: string;
            /** @description The fields of the type; null of `log`. */
            data: {
                [key: string]: unknown;
            } | null;
        };
        BulkActionPreview: {
            matched: number;
        };
        BulkActionCreated: {
            id: string;
            matched: number;
        };
        BulkActionInput: {
            /** @enum {string} */
            action: "cancel" | "retry" | "delete";
            filter: components["schemas"]["TaskFilter"];
            /** @default false */
            dry_run?: boolean;
        };
        /** @description The conditions of `GET /tasks`, at least one. A task must match all. */
        TaskFilter: {
            /** @description Only tasks with one of these statuses. */
            status?: string[];
            /** @description Only tasks whose agent had this type at their creation. */
            type?: string;
            /** @description Only tasks of this agent. */
            agent_id?: string;
            /** @description Only tasks with this tag. */
            tag?: string;
            /** @description Only tasks whose current or last worker is this one. */
            worker_id?: string;
            /** @description Only the task with this id. */
            id?: string;
            /**
             * Format: date-time
             * @description Only tasks created after this time.
             */
            created_after?: string | null;
            /**
             * Format: date-time
             * @description Only tasks created before this time.
             */
            created_before?: string | null;
        };
        BulkAction: {
            id: string;
            /** @enum {string} */
            action: "cancel" | "retry" | "delete";
            /** @enum {string} */
            state: "running" | "completed" | "stopped";
            /** @description Tasks that matched at the beginning, and could be changed. */
            matched: number;
            /** @description Tasks that were cancelled, retried or deleted so far. */
            done: number;
            failed: number;
            /** @description The first 100. */
            failures: components["schemas"]["BulkActionFailure"][];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            ended_at: string | null;
        };
        BulkActionFailure: {
            agent_id: string;
            task_id: string;
            code: string;
        };
        ScopeBudget: {
            scope: string;
            amount: number;
            /** @enum {string} */
            currency: "USD";
            period: string;
            time_zone: string;
            /**
             * Format: date-time
             * @description When the present period began; null in total.
             */
            from: string | null;
            /**
             * Format: date-time
             * @description When it ends; null in total.
             */
            until: string | null;
            /** @description What attempts have cost in it, running ones as reported. */
            spent: number;
            /** @description Nothing more is leased in the period. */
            reached: boolean;
        };
        WorkerInfo: {
            worker_id: string;
            /** @description Types of agents whose tasks it has requested in the 5 minutes before `last_seen_at`. */
            types: string[];
            /** @description Agents whose tasks it has requested by `POST /agents/{agent_id}/leases` in that time, at most 100. */
            agent_ids: string[];
            /** Format: date-time */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description To within 5 s. A heartbeat counts.
             */
            last_seen_at: string;
            /** @description Whether it has requested tasks in the last 60 s. */
            polling: boolean;
            /** @description Leases that it holds. */
            leases: number;
            /** @description Tasks that it has reported as completed since `first_seen_at`. */
            completed: number;
            /** @description Attempts that it has reported as failed since then. */
            failed: number;
            /** @description What it takes, as its last lease request says. */
            accepts: string[];
            /** @description What it has, as that request says. */
            labels: string[];
            /** @description As that request says: until when it takes no tasks, or none of a provider, and why. Else empty. */
            paused: components["schemas"]["WorkerPause"][];
            /** @description Its address, if known. */
            client: string | null;
        };
        WorkerPause: {
            /** @description Null: it takes no tasks at all. */
            provider: string | null;
            /** Format: date-time */
            until: string;
            reason: string | null;
        };
        Stats: {
            /** Format: date-time */
            at: string;
            agents: components["schemas"]["AgentCounts"];
            tasks: components["schemas"]["TaskCounts"];
            /** @description Of each type that has one. */
            oldest_pending: components["schemas"]["OldestPending"][];
            /** @description Leases that workers hold. */
            leases: number;
            /** @description Workers that were seen in the last 5 minutes. */
            workers: number;
            usage: components["schemas"]["FleetUsage"];
        };
        AgentCounts: {
            total: number;
            by_status: components["schemas"]["AgentStatusCounts"];
            /** @description Has each type of `AGENT_TYPES`. */
            by_type: {
                [key: string]: number;
            };
        };
        AgentStatusCounts: {
            idle: number;
            active: number;
            waiting: number;
            error: number;
            offline: number;
        };
        TaskCounts: {
            total: number;
            by_status: components["schemas"]["TaskStatusCounts"];
            /** @description Has each type of `AGENT_TYPES`. */
            by_type: {
                [key: string]: number;
            };
        };
        TaskStatusCounts: {
            pending: number;
            running: number;
            input_required: number;
            completed: number;
            failed: number;
            cancelled: number;
        };
        OldestPending: {
            type: string;
            agent_id: string;
            task_id: string;
            /** Format: date-time */
            created_at: string;
        };
        FleetUsage: {
            total: components["schemas"]["Spent"];
            /** @description Has each type of `AGENT_TYPES`. */
            by_type: {
                [key: string]: components["schemas"]["Spent"];
            };
            /** @description By the name that workers reported, the highest cost first. The first 98 names count; `other` has all further ones, and `unknown` the attempts without one. */
            by_model: components["schemas"]["ModelSpent"][];
            /** @description The 100 agents with the highest cost, then the most tokens. */
            by_agent: components["schemas"]["AgentSpent"][];
        };
        Spent: {
            /** @description Ended attempts that have reported usage or cost. */
            attempts: number;
            input_tokens: number;
            /** @description Part of `input_tokens`. */
            cached_input_tokens: number;
            output_tokens: number;
            /** @description Part of `output_tokens`. */
            reasoning_tokens: number;
            cost: components["schemas"]["Cost"];
        };
        ModelSpent: {
            model: string;
            /** @description Ended attempts that have reported usage or cost. */
            attempts: number;
            input_tokens: number;
            /** @description Part of `input_tokens`. */
            cached_input_tokens: number;
            output_tokens: number;
            /** @description Part of `output_tokens`. */
            reasoning_tokens: number;
            cost: components["schemas"]["Cost"];
        };
        AgentSpent: {
            agent_id: string;
            /** @description Ended attempts that have reported usage or cost. */
            attempts: number;
            input_tokens: number;
            /** @description Part of `input_tokens`. */
            cached_input_tokens: number;
            output_tokens: number;
            /** @description Part of `output_tokens`. */
            reasoning_tokens: number;
            cost: components["schemas"]["Cost"];
        };
        AgentUsage: {
            total: components["schemas"]["Spent"];
            /** @description By the name that workers reported, the highest cost first. The first 98 names count; `other` has all further ones, and `unknown` the attempts without one. */
            by_model: components["schemas"]["ModelSpent"][];
        };
        Series: {
            /** Format: date-time */
            from: string;
            /**
             * Format: date-time
             * @description End of the current minute.
             */
            to: string;
            /** @description In seconds. */
            step: number;
            /** @description Oldest first. */
            steps: components["schemas"]["SeriesStep"][];
        };
        SeriesStep: {
            /**
             * Format: date-time
             * @description Beginning of the step.
             */
            at: string;
            created: number;
            completed: number;
            failed: number;
            cancelled: number;
            /** @description Input requests that were opened. */
            input_requested: number;
            /** @description Attempts that failed and are followed by another one. */
            retried: number;
            /** @description From creation to the first lease, of tasks first leased in the step. */
            wait_ms: components["schemas"]["Percentiles"] | null;
            /** @description Length of the attempts that were completed, failed, cancelled or retried in the step. */
            run_ms: components["schemas"]["Percentiles"] | null;
        };
        /** @description In ms, at most 5 % off. */
        Percentiles: {
            p50: number;
            p95: number;
        };
        Spend: {
            /**
             * Format: date-time
             * @description Beginning of the first step.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the last step.
             */
            to: string;
            /** @enum {string} */
            step: "hour" | "day" | "month";
            time_zone: string;
            /** @enum {string} */
            group_by: "agent" | "model" | "type" | "tag" | "user" | "key" | "version";
            /** @description Whether a task counts in several groups, as by `tag`: their sum may exceed `total`. */
            groups_overlap: boolean;
            total: components["schemas"]["Spent"];
            /** @description Oldest first. */
            steps: components["schemas"]["SpendOfStep"][];
        };
        SpendOfStep: {
            /**
             * Format: date-time
             * @description Beginning of the step.
             */
            at: string;
            /** @description The highest cost first; after 99 of them `other`. */
            groups: components["schemas"]["SpendGroup"][];
        };
        SpendGroup: {
            key: string | null;
            /** @description Ended attempts that have reported usage or cost. */
            attempts: number;
            input_tokens: number;
            /** @description Part of `input_tokens`. */
            cached_input_tokens: number;
            output_tokens: number;
            /** @description Part of `output_tokens`. */
            reasoning_tokens: number;
            cost: components["schemas"]["Cost"];
        };
        Event: {
            /** @description Increases within its stream. Resume after it by `after` or `Last-Event-ID`. */
            id: string;
            /**
             * @description `resync`: events before this one are no longer kept; read the records again.
             * @enum {string}
             */
            type: "agent.created" | "agent.replaced" | "agent.deleted" | "agent.status" | "agent.paused" | "agent.resumed" | "agent.definition_replaced" | "agent.definition_deleted" | "budget.warning" | "budget.reached" | "task.created" | "task.replaced" | "task.leased" | "task.progress" | "task.released" | "task.retry" | "task.parked" | "task.completed" | "task.failed" | "task.input_required" | "task.input_answered" | "task.input_expired" | "task.input_withdrawn" | "task.suspended" | "task.cancel_requested" | "task.cancelled" | "task.deleted" | "resync";
            agent_id?: string;
            task_id?: string;
            /** @description Status of the task or agent after the event. */
            status?: string;
            /** Format: date-time */
            at: string;
            data?: {
                [key: string]: unknown;
            };
        };
        /** @description A skill; with `fields`, the requested ones of its fields and `id`. */
        SkillFields: {
            /** @description URL-safe, without a slash, unique, and stable across refreshes. */
            id: string;
            /** @description As in the upstream registry. */
            name?: string;
            /** @description Title; the name if upstream has none. */
            display_name?: string;
            /** @description Empty if upstream has none. */
            description?: string;
            /**
             * @description What it is. Only skills and plugins, which may contain skills, are listed unless `kind` is given.
             * @enum {string}
             */
            kind?: "skill" | "plugin" | "mcp_server" | "agent" | "hook" | "setting" | "command";
            /** @description The first of `categories`; null if there are none. */
            category?: string | null;
            /** @description Ids of categories of `/api/categories`. */
            categories?: string[];
            tags?: string[];
            /** @description As in the upstream registry, else the owner of the repository. */
            author?: string | null;
            source?: components["schemas"]["SkillSource"];
            /** @description SPDX identifier or a name. */
            license?: string | null;
            /** @description As in the upstream registry. */
            version?: string | null;
            /** @description Requirements of the skill, as in the upstream registry. */
            compatibility?: string | null;
            /** @description Stars of the repository; null if unknown. */
            stars?: number | null;
            /** @description Downloads or installations; null if unknown. */
            downloads?: number | null;
            featured?: boolean;
            /** @description RFC 3339, UTC. */
            updated_at?: string | null;
            /** @description `sha256:` and 64 hexadecimal digits of the content, if upstream has one. */
            digest?: string | null;
            /**
             * @description What the digest covers: the SKILL.md, or the folder or archive of the skill.
             * @enum {string|null}
             */
            digest_of?: "skill_md" | "folder" | null;
            /** @description Installation command of upstream, else derived from repository and name. Read it before you run it. */
            install?: string | null;
            /** @description Whether the skill follows the rules of the Agent Skills specification. */
            valid?: boolean;
            /** @description The rules that the skill breaks; empty if it is valid. */
            issues?: ("name_too_long" | "name_characters" | "name_hyphens" | "description_missing" | "description_too_long" | "compatibility_too_long")[];
            /** @description The sources that list this skill, with their names in `/api/registry/status`. */
            registries?: string[];
            /** @description Other upstream fields; long values are truncated. */
            extra?: {
                [key: string]: unknown;
            };
        };
        /** @description Location of the skill. Parts that upstream does not name are null. */
        SkillSource: {
            /** @description Repository, mostly `owner/name`. */
            repo: string | null;
            /** @description Folder or file within the repository. */
            path: string | null;
            /** @description Branch, tag or commit. */
            ref: string | null;
            /** @description http or https URL. A skill whose repository is not on GitHub always has one. */
            url: string | null;
        };
        Catalogue: {
            skills: components["schemas"]["SkillFields"][];
            facets: components["schemas"]["SkillFacets"];
            /** @description Number of all matching skills. */
            total: number;
            /** @description The `cursor` of the next page; null after the last. */
            next_cursor: string | null;
        };
        /** @description The requested facets, counted over all matching skills. */
        SkillFacets: {
            category?: components["schemas"]["Facet"];
            kind?: components["schemas"]["Facet"];
            tag?: components["schemas"]["Facet"];
            author?: components["schemas"]["Facet"];
            license?: components["schemas"]["Facet"];
            valid?: components["schemas"]["Facet"];
        };
        /** @description The hundred most frequent values, in descending order. */
        Facet: components["schemas"]["FacetValue"][];
        FacetValue: {
            value: string;
            count: number;
        };
        Skill: {
            /** @description URL-safe, without a slash, unique, and stable across refreshes. */
            id: string;
            /** @description As in the upstream registry. */
            name: string;
            /** @description Title; the name if upstream has none. */
            display_name: string;
            /** @description Empty if upstream has none. */
            description: string;
            /**
             * @description What it is. Only skills and plugins, which may contain skills, are listed unless `kind` is given.
             * @enum {string}
             */
            kind: "skill" | "plugin" | "mcp_server" | "agent" | "hook" | "setting" | "command";
            /** @description The first of `categories`; null if there are none. */
            category: string | null;
            /** @description Ids of categories of `/api/categories`. */
            categories: string[];
            tags: string[];
            /** @description As in the upstream registry, else the owner of the repository. */
            author: string | null;
            source: components["schemas"]["SkillSource"];
            /** @description SPDX identifier or a name. */
            license: string | null;
            /** @description As in the upstream registry. */
            version: string | null;
            /** @description Requirements of the skill, as in the upstream registry. */
            compatibility: string | null;
            /** @description Stars of the repository; null if unknown. */
            stars: number | null;
            /** @description Downloads or installations; null if unknown. */
            downloads: number | null;
            featured: boolean;
            /** @description RFC 3339, UTC. */
            updated_at: string | null;
            /** @description `sha256:` and 64 hexadecimal digits of the content, if upstream has one. */
            digest: string | null;
            /**
             * @description What the digest covers: the SKILL.md, or the folder or archive of the skill.
             * @enum {string|null}
             */
            digest_of: "skill_md" | "folder" | null;
            /** @description Installation command of upstream, else derived from repository and name. Read it before you run it. */
            install: string | null;
            /** @description Whether the skill follows the rules of the Agent Skills specification. */
            valid: boolean;
            /** @description The rules that the skill breaks; empty if it is valid. */
            issues: ("name_too_long" | "name_characters" | "name_hyphens" | "description_missing" | "description_too_long" | "compatibility_too_long")[];
            /** @description The sources that list this skill, with their names in `/api/registry/status`. */
            registries: string[];
            /** @description Other upstream fields; long values are truncated. */
            extra: {
                [key: string]: unknown;
            };
        };
        WellKnownSkills: {
            /**
             * @description Schema URI, which identifies the version of the format.
             * @example https://schemas.agentskills.io/discovery/0.2.0/schema.json
             */
            $schema: string;
            skills: components["schemas"]["WellKnownSkill"][];
        };
        WellKnownSkill: {
            name: string;
            /**
             * @description Type of the file at `url`: a SKILL.md.
             * @enum {string}
             */
            type: "skill-md";
            description: string;
            /** @description Address of the SKILL.md; may be relative to the index. */
            url: string;
            /** @description `sha256:` and the digest of the SKILL.md. */
            digest: string;
        };
        FoundSkills: {
            query: string;
            /** @description Number of skills in this response. */
            count: number;
            skills: components["schemas"]["FoundSkill"][];
        };
        FoundSkill: {
            /** @description The `id` of the skill in `/api/skills`. */
            id: string;
            name: string;
            /** @description `downloads` of the skill; 0 if unknown. */
            installs: number;
            /** @description Repository `owner/name` on GitHub; empty if it is elsewhere. */
            source: string;
        };
        /** @description Both lists are in descending order of use. At most 10,000 tags. */
        Categories: {
            categories: components["schemas"]["Category"][];
            tags: components["schemas"]["Tag"][];
        };
        Category: {
            /** @description The value of `category` in a skill. */
            id: string;
            /** @description Name from the source, or the id if the source declares none. */
            name: string;
            description: string | null;
            /** @description Number of skills in the category, counted by the registry. */
            count: number;
        };
        Tag: {
            name: string;
            count: number;
        };
        Suggestions: {
            suggestions: components["schemas"]["Suggestion"][];
        };
        Suggestion: {
            /** @description Suggested search text. */
            text: string;
            /**
             * @description Kind of the suggestion.
             * @enum {string}
             */
            kind: "skill" | "tag" | "author" | "category";
            /** @description Id of the skill, if the suggestion is a skill. */
            id?: string;
            /** @description Number of skills that have it, if the suggestion is not a skill. */
            count?: number;
        };
        Changes: {
            /** @description The snapshot in `since`. */
            from: string;
            /** @description The snapshot that these changes lead to. Send it as `since` in the next request. */
            to: string;
            /** @description The current snapshot. It differs from `to` if `limit` left changes for the next request. */
            latest: string;
            /** @description In `to` but not in `from`. Ids of skills. */
            added: string[];
            /** @description In both, with content that changed in between. Ids of skills. */
            changed: string[];
            /** @description In `from` but not in `to`. Ids of skills. */
            removed: string[];
        };
        RegistryStatus: {
            /** @description The configured sources without credentials and query, or `shipped` for the skills that ship. */
            source: string;
            /** @description Id of the snapshot. With a single source: SHA-256 of its raw bytes. */
            snapshot_id: string;
            /**
             * Format: date-time
             * @description Time when this snapshot was built.
             */
            fetched_at: string;
            /**
             * Format: date-time
             * @description Time of the last check of a source, successful or not.
             */
            checked_at: string | null;
            /** @description Seconds since `fetched_at`. */
            age_seconds: number;
            /** @description True if the last check of a source failed, if nothing of a source is served, or if a source could have been checked again more than three refresh intervals ago. */
            stale: boolean;
            /** @description The error of the last check; null if it succeeded. */
            last_error: components["schemas"]["RegistryFault"] | null;
            counts: components["schemas"]["RegistryCounts"];
            sources: components["schemas"]["RegistrySourceStatus"][];
            /** @description The first 100 unusable records. `index` starts at 0. */
            rejected: components["schemas"]["RejectedRecord"][];
            /** @description Number of unusable records by code. */
            rejections: components["schemas"]["RejectionCount"][];
            /** @description Number of corrections to records by code, and of missing records (`incomplete`). */
            warnings: components["schemas"]["WarningCount"][];
            duplicates: components["schemas"]["RegistryDuplicates"];
        };
        RegistryFault: {
            /** @enum {string} */
            code: "timeout" | "unreachable" | "http_status" | "rate_limited" | "redirect" | "private_address" | "too_large" | "truncated" | "wrong_digest" | "bad_manifest" | "unreadable_file" | "build_failed" | "not_json" | "html" | "unknown_shape" | "empty" | "shrunk" | "mostly_rejected" | "wrong_count";
            message: string;
            /**
             * Format: date-time
             * @description Time of the error.
             */
            at: string;
        };
        RegistryCounts: {
            skills: number;
            categories: number;
            tags: number;
            rejected: number;
            warnings: number;
        };
        RegistrySourceStatus: {
            /** @description The configured address without credentials and query, or `shipped` for the skills that ship. */
            source: string;
            /** @description The served version of the source: SHA-256 of its raw bytes, and of those of its shards or parts. Null until the source has been read once. */
            snapshot_id: string | null;
            /**
             * Format: date-time
             * @description Time when this version was first fetched.
             */
            fetched_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last check.
             */
            checked_at: string | null;
            /**
             * Format: date-time
             * @description No check before this time, which the source requested by `Retry-After` or `Cache-Control`.
             */
            next_check_at: string | null;
            last_error: components["schemas"]["RegistryFault"] | null;
            /** @description The refused version that the source sends now. If the code is `empty`, `shrunk` or `mostly_rejected`, `REGISTRY_ACCEPT_SNAPSHOT` with this `snapshot_id` accepts it. */
            refused: components["schemas"]["RefusedSnapshot"] | null;
            /** @description Usable records, before the records of all sources are merged. */
            records: number;
            rejected: number;
            /** @description Records that the source announces but does not send. */
            missing: number;
        };
        RefusedSnapshot: {
            /** @enum {string} */
            code: "timeout" | "unreachable" | "http_status" | "rate_limited" | "redirect" | "private_address" | "too_large" | "truncated" | "wrong_digest" | "bad_manifest" | "unreadable_file" | "build_failed" | "not_json" | "html" | "unknown_shape" | "empty" | "shrunk" | "mostly_rejected" | "wrong_count";
            message: string;
            /**
             * Format: date-time
             * @description Time of the error.
             */
            at: string;
            snapshot_id: string;
        };
        RejectedRecord: {
            index: number;
            id?: string;
            source?: string;
            /** @enum {string} */
            code: "not_an_object" | "no_name_and_id" | "record_too_large";
            message: string;
        };
        RejectionCount: {
            /** @enum {string} */
            code: "not_an_object" | "no_name_and_id" | "record_too_large";
            count: number;
        };
        WarningCount: {
            /** @enum {string} */
            code: "id_missing" | "id_doubled" | "name_missing" | "description_missing" | "category_missing" | "tags_missing" | "author_from_repository" | "text_cut" | "tag_unusable" | "field_unusable" | "path_unsafe" | "url_unsafe" | "key_unsafe" | "extra_cut" | "digest_unusable" | "duplicate_merged" | "incomplete";
            count: number;
        };
        /** @description Duplicate records that were merged into another skill: their number, and the ids of the first 100 such skills. */
        RegistryDuplicates: {
            count: number;
            ids: string[];
        };
        Health: {
            /** @enum {string} */
            status: "ok";
        };
        /** @description Whether the gateway can serve requests, with the state of each dependency. */
        Readiness: {
            /** @enum {string} */
            status: "ready" | "not_ready" | "stopping";
            /** @description `ok`, or what is wrong, by dependency. */
            checks: {
                [key: string]: string;
            };
        };
        OpenApiDocument: {
            openapi: string;
            info: {
                [key: string]: unknown;
            };
            paths: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readProtected: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user of the token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthenticatedUser"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The request also has an `X-API-Key`, which is not a valid key. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readJwks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of a cached copy. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All public keys that verify tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicKeys"];
                };
            };
            /** @description The client has the current keys. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description An access token, to be sent as `Authorization: Bearer …`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessToken"];
                };
            };
            /** @description The request is invalid. The refresh token was refused, or the grant is another one. A scope does not exist, or the user does not have it. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description The user does not exist or is disabled, or the password is wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many failed sign-ins for this account from this address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. Too many concurrent sign-ins. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["RevocationRequest"];
            };
        };
        responses: {
            /** @description The token is not valid, or no longer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: {
                /** @description `true`: null, not 401, without credentials or a valid cookie. */
                optional?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. Null only with `optional=true`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSession"] | null;
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionInput"];
            };
        };
        responses: {
            /** @description Signed in. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user does not exist or is disabled, or the password is wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description A page of another origin sent the request, or a proxy hides the address of the page. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many failed sign-ins for this account from this address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. Too many concurrent sign-ins. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. A page of another origin sent the request, or a proxy hides the address of the page. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Another user's sessions, with the scope `users:admin`. */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. Only an administrator lists the sessions of others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The user does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. A page of another origin sent the request, or a proxy hides the address of the page. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The session does not exist, has ended, or belongs to another user. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of entries. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of users. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `users:admin` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserInput"];
            };
        };
        responses: {
            /** @description The new user. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `users:admin` is missing. There are 10,000 users already. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Another user has this e-mail address, in whatever case. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of copies that the client has. The response is 304 if one is current. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description The client has the current record. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `users:admin` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The user does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    replaceUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags. The change is made only if one is current. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserReplacement"];
            };
        };
        responses: {
            /** @description The updated user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `users:admin` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The user does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The user is the last admin who is not disabled. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The record has changed since the client read it. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags. The change is made only if one is current. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `users:admin` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The user does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The user is the last admin who is not disabled. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The record has changed since the client read it. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getOwnUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of copies that the client has. The response is 304 if one is current. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description The client has the current record. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The caller is not a user but a key, or a user of another issuer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The user does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    changeOwnPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description The password is changed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The caller is not a user but a key, or a user of another issuer. The current password is wrong. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The user does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many wrong passwords for this account from this address in 15 minutes. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The code, for `PUT /password-resets/{code}`. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordReset"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `users:admin` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The user does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    usePasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The reset code. */
                code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPassword"];
            };
        };
        responses: {
            /** @description The password is set. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The code is unknown, used, replaced by another one, or older than an hour. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of entries. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of API keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The caller is a key, or a user of another issuer, without `users:admin`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyInput"];
            };
        };
        responses: {
            /** @description The new API key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The caller is a key, or a user of another issuer, without `users:admin`. The key has scopes, or agents, that the caller does not have. The owner has 100 API keys that have not expired. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description `expires_at` is in the past, or more than 366 days ahead. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of copies that the client has. The response is 304 if one is current. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Id of the API key. */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description The client has the current record. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The caller is a key, or a user of another issuer, without `users:admin`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key does not exist, or belongs to somebody else. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    deleteApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags. The change is made only if one is current. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the API key. */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API key is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The caller is a key, or a user of another issuer, without `users:admin`. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key does not exist, or belongs to somebody else. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The key is one of `API_KEYS`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The record has changed since the client read it. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the API key. */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ApiKeyRotation"];
            };
        };
        responses: {
            /** @description The API key with its new text. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The caller is a key, or a user of another issuer, without `users:admin`. The key has scopes, or agents, that the caller does not have. Ten replaced texts of this key are still valid. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key does not exist, or belongs to somebody else. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The key is one of `API_KEYS`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The key has expired. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** @description Only events after the one with this id, which may no longer be kept. With `order=desc`, only older ones. */
                after?: string;
                /** @description `asc`: oldest first. `desc`: newest first. */
                order?: "asc" | "desc";
                /** @description Maximum number of events. Default: 100; in an export all. */
                limit?: number;
                /** @description Only events of this actor: an id, a name in whatever case, or a type. */
                actor?: string;
                /** @description Only this action; `user.*` is all actions that begin with `user.`. */
                action?: string;
                /** @description Only events about the target with this id. */
                target?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events in the requested order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEvent"][];
                    "application/x-ndjson": string;
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `audit:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. Too many exports run at once. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000. */
                after?: string;
                /** @description `asc`: oldest first. `desc`: newest first. */
                order?: "asc" | "desc";
                /** @description Only these fields and `id`, separated by commas: id, name, type, status, created_at, paused_at, owner. */
                fields?: string;
                /** @description Only agents with this status. Any text is valid. */
                status?: string;
                /** @description Only agents of this type. Any text is valid. */
                type?: string;
                /** @description `true`: only paused agents. `false`: only the others; then a page may have fewer than `limit` entries, and its `next` link continues. */
                paused?: boolean;
                /** @description Only agents with exactly this name. */
                name?: string;
                /** @description Only agents with exactly this owner. */
                owner?: string;
                /** @description Each word is somewhere in the name, in any case, or is the beginning of the id. A page may have fewer than `limit` entries, or none, though its `next` link continues. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of agents. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentFields"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createAgent: {
        parameters: {
            query?: {
                /** @description What manages the agent, such as the folder of its file. Empty: nothing. Lists name it on request. */
                owner?: string;
            };
            header?: {
                /** @description 1 to 255 visible ASCII characters. For 24 h a repeated request of the same caller returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentInput"];
            };
        };
        responses: {
            /** @description The new agent. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:write` is missing. The API key is limited to some agents. The caller's quota of agents is used up. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description A request with this `Idempotency-Key` is still in progress. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The `Idempotency-Key` was used with a different body. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    checkAgent: {
        parameters: {
            query?: {
                /** @description `true`: skills that the registry does not have are not refused. */
                allow_unknown_skills?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentCheckInput"];
            };
        };
        responses: {
            /** @description The definition as it would be stored, null without one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentCheck"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The registry does not have a skill. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of copies that the client has. The response is 304 if one is current. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description The client has the current record. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    replaceAgent: {
        parameters: {
            query?: {
                /** @description What manages the agent, such as the folder of its file. Empty: nothing. Lists name it on request. */
                owner?: string;
            };
            header?: {
                /** @description Entity tags. The change is made only if one is current. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentInput"];
            };
        };
        responses: {
            /** @description The updated agent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The record has changed since the client read it. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    deleteAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags. The change is made only if one is current. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The record has changed since the client read it. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readPause: {
        parameters: {
            query?: {
                /** @description `true`: null, not 404, if the agent is not paused. */
                optional?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pause. Null only with `optional=true`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pause"] | null;
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The agent is not paused. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    pauseAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PauseInput"];
            };
        };
        responses: {
            /** @description The pause. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pause"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    resumeAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent is not paused. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readDefinition: {
        parameters: {
            query?: {
                /** @description `true`: null, not 404, if the agent has no definition. */
                optional?: boolean;
            };
            header?: {
                /** @description Entity tags of copies that the client has. The response is 304 if one is current. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current version. Null only with `optional=true`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Definition"] | null;
                };
            };
            /** @description The client has the current record. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The agent has no definition. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    replaceDefinition: {
        parameters: {
            query?: {
                /** @description `true`: skills that the registry does not have are not refused. */
                allow_unknown_skills?: boolean;
            };
            header?: {
                /** @description Entity tags. The change is made only if one is current. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DefinitionInput"];
            };
        };
        responses: {
            /** @description The current version. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Definition"];
                };
            };
            /** @description The first version, or the first one after a deletion. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Definition"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The versions of an agent have at most 16 MiB. Those that no task names make room, from the oldest. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The record has changed since the client read it. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The registry does not have a skill. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    deleteDefinition: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags. The change is made only if one is current. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent has no definition. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The record has changed since the client read it. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listDefinitionVersions: {
        parameters: {
            query?: {
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description `asc`: oldest first. `desc`: newest first. */
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedDefinition"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readDefinitionVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of copies that the client has. The response is 304 if one is current. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Number of the version. */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version, which never changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Definition"];
                };
            };
            /** @description The client has the current record. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `agents:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. There is no such version. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    searchTasks: {
        parameters: {
            query?: {
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000. */
                after?: string;
                /** @description `asc`, the default: oldest first. `desc`, the default with `q`: newest first. */
                order?: "asc" | "desc";
                /** @description Only these fields and `id`, separated by commas: id, agent_id, message, input, status, priority, scheduled_at, expires_at, timeout_seconds, max_attempts, retry_policy, attempt, result, error, progress, tags, metadata, retry_of, skills, workspace, model, output_schema, max_cost, continue_of, continued_by, usage, cost, traceparent, agent_version, requires, concurrency_key, after, after_failure, created_by, worker_id, cancel_requested_at, next_attempt_at, started_at, completed_at, created_at, updated_at. */
                fields?: string;
                /** @description Only tasks with one of these statuses, separated by commas. Any text is valid. */
                status?: string;
                /** @description Only tasks whose agent had this type at their creation. */
                type?: string;
                /** @description Only tasks of this agent. */
                agent_id?: string;
                /** @description Only tasks with this tag. */
                tag?: string;
                /** @description Only tasks whose current or last worker is this one. */
                worker_id?: string;
                /** @description Only the task with this id. */
                id?: string;
                /** @description Only tasks created after this time. */
                created_after?: string;
                /** @description Only tasks created before this time. */
                created_before?: string;
                /** @description Each word is somewhere in the message, the tags, or the code or message of the error, in any case, or is the beginning of the id. The newest tasks come first. */
                q?: string;
                /** @description Only tasks whose last error has this code. */
                error_code?: string;
                /** @description Only tasks that ask for this model. */
                model?: string;
                /** @description Only tasks that this user or API key has created: its id, or the e-mail address of a user. */
                created_by?: string;
                /** @description Only tasks whose current or last attempt has taken at least so long. */
                min_duration_seconds?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tasks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskFields"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listAgentTasks: {
        parameters: {
            query?: {
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000. */
                after?: string;
                /** @description `asc`: oldest first. `desc`: newest first. */
                order?: "asc" | "desc";
                /** @description Only these fields and `id`, separated by commas: id, agent_id, message, input, status, priority, scheduled_at, expires_at, timeout_seconds, max_attempts, retry_policy, attempt, result, error, progress, tags, metadata, retry_of, skills, workspace, model, output_schema, max_cost, continue_of, continued_by, usage, cost, traceparent, agent_version, requires, concurrency_key, after, after_failure, created_by, worker_id, cancel_requested_at, next_attempt_at, started_at, completed_at, created_at, updated_at. */
                fields?: string;
                /** @description Only tasks with one of these statuses, separated by commas. Any text is valid. */
                status?: string;
            };
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tasks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskFields"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createTask: {
        parameters: {
            query?: {
                /** @description `true`: skills that the registry does not have are not refused. */
                allow_unknown_skills?: boolean;
            };
            header?: {
                /** @description 1 to 255 visible ASCII characters. For 24 h a repeated request of the same caller returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskInput"];
            };
        };
        responses: {
            /** @description The new task. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:write` is missing. The caller's quota of pending tasks is used up. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description A request with this `Idempotency-Key` is still in progress. Tasks of a type that have not ended may require 64 different sets of labels, 32 of them by one caller. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A value is well formed but impossible: a time in the past, a start after the expiry, a skill that the registry does not have, or a `retry_of` or `continue_of` that names a task that has not ended; an unknown task in `after` (`unknown_dependency`); or the `Idempotency-Key` was used with a different body. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createTasks: {
        parameters: {
            query?: {
                /** @description `true`: skills that the registry does not have are not refused. */
                allow_unknown_skills?: boolean;
            };
            header?: {
                /** @description 1 to 255 visible ASCII characters. For 24 h a repeated request of the same caller returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskBatch"];
            };
        };
        responses: {
            /** @description The result for each task. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskBatchResults"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description A request with this `Idempotency-Key` is still in progress. Tasks of a type that have not ended may require 64 different sets of labels, 32 of them by one caller. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The `Idempotency-Key` was used with a different body. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createTaskGraph: {
        parameters: {
            query?: {
                /** @description `true`: skills that the registry does not have are not refused. */
                allow_unknown_skills?: boolean;
            };
            header?: {
                /** @description 1 to 255 visible ASCII characters. For 24 h a repeated request of the same caller returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskGraph"];
            };
        };
        responses: {
            /** @description The result for each task, in order. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskGraphResults"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:write` is missing. The caller's quota of pending tasks is used up. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description A request with this `Idempotency-Key` is still in progress. Tasks of a type that have not ended may require 64 different sets of labels, 32 of them by one caller. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A value is well formed but impossible, as for a single task, or the agent is unknown; the path begins with the index of the task. Or the `Idempotency-Key` was used with a different body. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getTask: {
        parameters: {
            query?: {
                /** @description Delays the response until the task ends, for at most this many seconds. */
                wait?: number;
                /** @description `input`: the wait also ends when the task needs input. */
                until?: "end" | "input";
            };
            header?: {
                /** @description Entity tags of copies that the client has. The response is 304 if one is current. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The client has the current record. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The caller has too many open waiting requests. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    replaceTask: {
        parameters: {
            query?: {
                /** @description `true`: skills that the registry does not have are not refused. */
                allow_unknown_skills?: boolean;
            };
            header?: {
                /** @description Entity tags. The change is made only if one is current. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskInput"];
            };
        };
        responses: {
            /** @description The updated task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The task is not pending. Tasks of a type that have not ended may require 64 different sets of labels, 32 of them by one caller. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The record has changed since the client read it. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A value is well formed but impossible: a time in the past, a start after the expiry, a skill that the registry does not have, or a `retry_of` or `continue_of` that names a task that has not ended; an unknown task in `after` (`unknown_dependency`); or the `Idempotency-Key` was used with a different body. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    deleteTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags. The change is made only if one is current. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The record has changed since the client read it. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    cancelTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Cancellation"];
            };
        };
        responses: {
            /** @description The task is cancelled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Cancellation is requested from the worker. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The task has already completed or failed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    retryTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. For 24 h a repeated request of the same caller returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetryInput"];
            };
        };
        responses: {
            /** @description The new task. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:write` is missing. The caller's quota of pending tasks is used up. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description A request with this `Idempotency-Key` is still in progress. The task has not ended. Tasks of a type that have not ended may require 64 different sets of labels, 32 of them by one caller. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The `Idempotency-Key` was used with a different body. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listTaskAttempts: {
        parameters: {
            query?: {
                /** @description Also attempts that do not count as such: their usage and cost do. */
                all?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attempt"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getTaskThread: {
        parameters: {
            query?: {
                /** @description Only these fields and `id`, separated by commas: id, agent_id, message, input, status, priority, scheduled_at, expires_at, timeout_seconds, max_attempts, retry_policy, attempt, result, error, progress, tags, metadata, retry_of, skills, workspace, model, output_schema, max_cost, continue_of, continued_by, usage, cost, traceparent, agent_version, requires, concurrency_key, after, after_failure, created_by, worker_id, cancel_requested_at, next_attempt_at, started_at, completed_at, created_at, updated_at. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tasks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskFields"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getTaskGraph: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The graph. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDependencies"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listInputRequests: {
        parameters: {
            query?: {
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000. */
                after?: string;
                /** @description `asc`: oldest first. `desc`: newest first. */
                order?: "asc" | "desc";
                state?: "open" | "answered" | "expired" | "withdrawn";
                kind?: "approval" | "question" | "form";
                /** @description Only those of this agent. */
                agent_id?: string;
                /** @description Only those of tasks whose agent had this type at their creation. */
                type?: string;
                /** @description Only those of this task. */
                task_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of input requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputRequest"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listTaskInputRequests: {
        parameters: {
            query?: {
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000. */
                after?: string;
                /** @description `asc`: oldest first. `desc`: newest first. */
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of input requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputRequest"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getInputRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
                /** @description Id of the input request. */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The input request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputRequest"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. The input request does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    answerInputRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
                /** @description Id of the input request. */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InputAnswerInput"];
            };
        };
        responses: {
            /** @description The answered request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputRequest"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:answer` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. The input request does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Somebody has answered differently, or the request has expired or was withdrawn (`input_request_closed`). */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000. */
                after?: string;
                /** @description `asc`: oldest first. `desc`: newest first. */
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of messages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    sendMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. For 24 h a repeated request of the same caller returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageInput"];
            };
        };
        responses: {
            /** @description The message waits. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The worker of the running task takes none. The task has ended (`task_ended`), or has too many messages. A request with this `Idempotency-Key` is still in progress. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The `Idempotency-Key` was used with a different body. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    interruptTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task is `input_required` already. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interruption"];
                };
            };
            /** @description The worker is told. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interruption"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The worker of the running task takes none. The task is pending or has ended. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createInputRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the lease. */
                lease_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InputRequestInput"];
            };
        };
        responses: {
            /** @description The request that has this `key` already. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputRequest"];
                };
            };
            /** @description The new request. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputRequest"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `leases:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The lease does not exist, or its task was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The lease expired or was released, or its task has ended. The token is no longer valid. The worker did not say that it accepts `input`, or there are too many requests (`too_many_input_requests`). */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The task has another request with this `key`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    withdrawInputRequest: {
        parameters: {
            query?: never;
            header: {
                /** @description The token of the lease. */
                "X-Lease-Token": string;
            };
            path: {
                /** @description Id of the lease. */
                lease_id: string;
                /** @description Id of the input request. */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request is closed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `leases:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The lease does not exist, or its task was deleted. The input request does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The lease expired or was released, or its task has ended. The token is no longer valid. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    reportMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the lease. */
                lease_id: string;
                /** @description Id of the message. */
                message_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageReport"];
            };
        };
        responses: {
            /** @description The message is delivered or dropped. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `leases:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The lease does not exist, or its task was deleted. The task has no such message. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The lease expired or was released, or its task has ended. The token is no longer valid. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    confirmInterruption: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the lease. */
                lease_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InterruptionConfirmation"];
            };
        };
        responses: {
            /** @description The question is open, or nobody has asked for an interruption. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `leases:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The lease does not exist, or its task was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The lease expired or was released, or its task has ended. The token is no longer valid. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readInbox: {
        parameters: {
            query?: {
                /** @description Acknowledges the items up to this number. Default: none. */
                after?: number;
                /** @description Seconds to wait for a first item. */
                wait?: number;
            };
            header: {
                /** @description The token of the lease. */
                "X-Lease-Token": string;
            };
            path: {
                /** @description Id of the lease. */
                lease_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The items. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Inbox"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `leases:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The lease does not exist, or its task was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The lease expired or was released, or its task has ended. The token is no longer valid. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The caller has too many open waiting requests. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    suspendLease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the lease. */
                lease_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Suspension"];
            };
        };
        responses: {
            /** @description The current task: its lease has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `leases:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The lease does not exist, or its task was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The lease expired or was released, or its task has ended. The token is no longer valid. No request is open. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description `SESSION_ENCRYPTION_KEY` is not set, so that the fleet keeps no data. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    sendDelta: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the lease. */
                lease_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Delta"];
            };
        };
        responses: {
            /** @description The text is passed on. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `leases:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The lease does not exist, or its task was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The lease expired or was released, or its task has ended. The token is no longer valid. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description More than ten a second. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readWaiting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Why the task waits. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Waiting"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    leaseAgentTasks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentLeaseRequest"];
            };
        };
        responses: {
            /** @description The leased tasks. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Leases"];
                };
            };
            /** @description No task became available in time. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `leases:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The caller has too many open waiting requests. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listLeases: {
        parameters: {
            query?: {
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Only entries that follow the one with this id. The `next` link has it where no single index has the list; there, `skip` is at most 1000. */
                after?: string;
                /** @description Only leases of this worker. Any text is valid. */
                worker_id?: string;
                /** @description Only leases of tasks of this agent. Any text is valid. */
                agent_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of leases. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeaseInfo"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    leaseTasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeaseRequest"];
            };
        };
        responses: {
            /** @description The leased tasks. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Leases"];
                };
            };
            /** @description No task became available in time. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `leases:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The caller has too many open waiting requests. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    heartbeatLease: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the lease. */
                lease_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Heartbeat"];
            };
        };
        responses: {
            /** @description The lease is extended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeartbeatAnswer"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `leases:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The lease does not exist, or its task was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The lease expired or was released, or its task has ended. The token is no longer valid. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    putLeaseResult: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the lease. */
                lease_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskResult"];
            };
        };
        responses: {
            /** @description The current task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `leases:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The lease does not exist, or its task was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The lease expired or was released, or its task has ended. The token is no longer valid. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    releaseLease: {
        parameters: {
            query?: never;
            header: {
                /** @description The token of the lease. */
                "X-Lease-Token": string;
            };
            path: {
                /** @description Id of the lease. */
                lease_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lease is released. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `leases:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The lease does not exist, or its task was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The lease expired or was released, or its task has ended. The token is no longer valid. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    addLogEntries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the lease. */
                lease_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LogEntriesInput"];
            };
        };
        responses: {
            /** @description The entries are stored. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `leases:write` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The lease does not exist, or its task was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The lease expired or was released, or its task has ended. The token is no longer valid. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listLogEntries: {
        parameters: {
            query?: {
                /** @description Only entries after the one with this id. */
                after?: number;
                /** @description Begins with the last entries, at most so many, unless `after` or `Last-Event-ID` is given. */
                tail?: number;
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description Only entries of these types, separated by commas. */
                types?: string;
            };
            header?: {
                /** @description Resumes a stream after this entry. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogEntry"][];
                    "text/event-stream": string;
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The caller has too many open event streams. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createBulkAction: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. For 24 h a repeated request of the same caller returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkActionInput"];
            };
        };
        responses: {
            /** @description With `dry_run`: the number of tasks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkActionPreview"];
                };
            };
            /** @description The action has begun. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkActionCreated"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:write` is missing. The API key is limited to some agents. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description A request with this `Idempotency-Key` is still in progress. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The `Idempotency-Key` was used with a different body. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many bulk actions are running. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readBulkAction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the bulk action. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bulk action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAction"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. The API key is limited to some agents. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The bulk action does not exist, or ended more than a week ago. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    stopBulkAction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the bulk action. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stopped action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAction"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:write` is missing. The API key is limited to some agents. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The bulk action does not exist, or ended more than a week ago. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The action has ended. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listBudgets: {
        parameters: {
            query?: {
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of entries. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of budgets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScopeBudget"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `budgets:admin` is missing. The API key is limited to some agents. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readBudget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `fleet`, `type:<type>`, `user:<id>`, `key:<id>`, or, only to read, `agent:<id>`. */
                scope: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The budget. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScopeBudget"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `budgets:admin` is missing. The API key is limited to some agents. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such budget. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    replaceBudget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `fleet`, `type:<type>`, `user:<id>`, `key:<id>`, or, only to read, `agent:<id>`. */
                scope: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BudgetInput"];
            };
        };
        responses: {
            /** @description The budget. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScopeBudget"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `budgets:admin` is missing. The API key is limited to some agents. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The media type of the body is not supported. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    deleteBudget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `fleet`, `type:<type>`, `user:<id>`, `key:<id>`, or, only to read, `agent:<id>`. */
                scope: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is no such budget. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `budgets:admin` is missing. The API key is limited to some agents. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listWorkers: {
        parameters: {
            query?: {
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of entries. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of workers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkerInfo"][];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. The API key is limited to some agents. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. The API key is limited to some agents. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readAgentUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tokens and cost. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentUsage"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readSeries: {
        parameters: {
            query?: {
                /** @description Length of the window in seconds. */
                window?: number;
                /** @description Length of a step in seconds. */
                step?: number;
                /** @description Only tasks of agents that were of this type. */
                type?: string;
                /** @description Only tasks of this agent. */
                agent_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The steps of the window. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. The API key is limited to some agents. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readSpend: {
        parameters: {
            query?: {
                /** @description Default: a day, 30 days or a year before `to`, by `step`. */
                from?: string;
                /** @description Default: now. */
                to?: string;
                step?: "hour" | "day" | "month";
                /** @description `user`: who created the task, or owns the key that did; `key`: that key; `version`: of the definition of the agent, with `agent_id` only. */
                group_by?: "agent" | "model" | "type" | "tag" | "user" | "key" | "version";
                /** @description Only tasks of this agent. */
                agent_id?: string;
                /** @description The name of IANA. */
                time_zone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The steps. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Spend"];
                    "text/csv": string;
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `tasks:read` is missing. The API key is limited to some agents. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Only events after the one with this id. With `order=desc`, only older ones. */
                after?: number;
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description `asc`: oldest first. `desc`, not for streams: newest first, without `resync`; `Link` continues to the oldest. */
                order?: "asc" | "desc";
                /** @description Only events of these types, separated by commas. */
                types?: string;
                /** @description Only events of agents that had this type then, and of their tasks. Any text is valid. */
                agent_type?: string;
                /** @description Only events of this agent and its tasks. Any text is valid. */
                agent_id?: string;
            };
            header?: {
                /** @description Resumes a stream after this event. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events in the requested order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"][];
                    "text/event-stream": string;
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `events:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller has too many open event streams. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listAgentEvents: {
        parameters: {
            query?: {
                /** @description Only events after the one with this id. With `order=desc`, only older ones. */
                after?: number;
                /** @description Maximum number of entries. */
                limit?: number;
                /** @description `asc`: oldest first. `desc`, not for streams: newest first, without `resync`; `Link` continues to the oldest. */
                order?: "asc" | "desc";
            };
            header?: {
                /** @description Resumes a stream after this event. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events in the requested order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"][];
                    "text/event-stream": string;
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `events:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The caller has too many open event streams. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listTaskEvents: {
        parameters: {
            query?: {
                /** @description Only events after the one with this id. */
                after?: number;
                /** @description Maximum number of entries. */
                limit?: number;
            };
            header?: {
                /** @description Resumes a stream after this event. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
                /** @description Id of the task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"][];
                    "text/event-stream": string;
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Credentials are missing, or the token is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The `X-API-Key` is not a valid key. The scope `events:read` is missing. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The agent does not exist. The task does not exist or belongs to another agent. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description The caller has too many open event streams. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listSkills: {
        parameters: {
            query?: {
                /** @description Words or a question, to find in the name, display name, tags, author, repository, category and description. Case does not count, nor do stop words such as "how do I"; other forms of English words match. If no skill has all words, typos are tolerated, and in a longer query some of the words are enough. Only the first sixteen words count. An exact name comes first. */
                q?: string;
                /** @description Id or name of a category, ignoring case. */
                category?: string;
                /** @description Kinds of records, also in the plural. Default: `skill` and `plugin`. A comma-separated list of `skill`, `plugin`, `mcp_server`, `agent`, `hook`, `setting`, `command`. */
                kind?: string;
                /** @description A tag, ignoring case. */
                tag?: string;
                /** @description An author, ignoring case. */
                author?: string;
                /** @description A repository, as in `source.repo`, ignoring case. */
                repo?: string;
                /** @description A license, ignoring case. */
                license?: string;
                /** @description Whether the skill follows the rules of the Agent Skills specification. */
                valid?: boolean;
                /** @description Only skills updated at or after this time: a date such as `2026-01-31` (midnight UTC), or an RFC 3339 date-time. */
                updated_since?: string;
                /** @description Only these fields of each skill, and `id`. A comma-separated list of `id`, `name`, `display_name`, `description`, `kind`, `category`, `categories`, `tags`, `author`, `source`, `license`, `version`, `compatibility`, `stars`, `downloads`, `featured`, `updated_at`, `digest`, `digest_of`, `install`, `valid`, `issues`, `registries`, `extra`. */
                fields?: string;
                /** @description Default: `relevance` with `q`, else `name`. Unknown values come last; equal values are ordered by name. `trending` orders by new stars, new sources and new skills of today and the seven days before, then by popularity. */
                sort?: "name" | "stars" | "downloads" | "updated" | "trending" | "relevance";
                /** @description Default: `asc` for `name`, else `desc` (most stars, latest or best first). */
                order?: "asc" | "desc";
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of skills. Default: all, or 100 with `cursor`. */
                limit?: number;
                /** @description Empty for the first page; the `next` link or `next_cursor` has that of the following page. It continues after the last skill of a page, even if a new snapshot has other skills before it. Cannot be combined with `skip`. Filters and order must stay the same; `limit`, `fields` and, where they are, `facets` may change. */
                cursor?: string;
            };
            header?: {
                /** @description Entity tags of copies that the client has, or `*`. */
                "If-None-Match"?: string;
                /** @description Applies only without `If-None-Match` and with a valid HTTP-date. */
                "If-Modified-Since"?: string;
                /** @description Supported codings: `br`, `gzip` and `identity`. */
                "Accept-Encoding"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The skills. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillFields"][];
                };
            };
            /** @description The client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. This includes a cursor that does not belong to this list. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. Too many large responses are being streamed: lists with a filter, `sort` or `fields` of more than 1,000 skills, and without compression the list and the well-known index of more than 10,000 skills, and raw files of more than 1 MiB. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getCatalogue: {
        parameters: {
            query?: {
                /** @description Words or a question, to find in the name, display name, tags, author, repository, category and description. Case does not count, nor do stop words such as "how do I"; other forms of English words match. If no skill has all words, typos are tolerated, and in a longer query some of the words are enough. Only the first sixteen words count. An exact name comes first. */
                q?: string;
                /** @description Id or name of a category, ignoring case. */
                category?: string;
                /** @description Kinds of records, also in the plural. Default: `skill` and `plugin`. A comma-separated list of `skill`, `plugin`, `mcp_server`, `agent`, `hook`, `setting`, `command`. */
                kind?: string;
                /** @description A tag, ignoring case. */
                tag?: string;
                /** @description An author, ignoring case. */
                author?: string;
                /** @description A repository, as in `source.repo`, ignoring case. */
                repo?: string;
                /** @description A license, ignoring case. */
                license?: string;
                /** @description Whether the skill follows the rules of the Agent Skills specification. */
                valid?: boolean;
                /** @description Only skills updated at or after this time: a date such as `2026-01-31` (midnight UTC), or an RFC 3339 date-time. */
                updated_since?: string;
                /** @description Only these fields of each skill, and `id`. A comma-separated list of `id`, `name`, `display_name`, `description`, `kind`, `category`, `categories`, `tags`, `author`, `source`, `license`, `version`, `compatibility`, `stars`, `downloads`, `featured`, `updated_at`, `digest`, `digest_of`, `install`, `valid`, `issues`, `registries`, `extra`. */
                fields?: string;
                /** @description Default: `relevance` with `q`, else `name`. Unknown values come last; equal values are ordered by name. `trending` orders by new stars, new sources and new skills of today and the seven days before, then by popularity. */
                sort?: "name" | "stars" | "downloads" | "updated" | "trending" | "relevance";
                /** @description Default: `asc` for `name`, else `desc` (most stars, latest or best first). */
                order?: "asc" | "desc";
                /** @description Number of entries to skip. */
                skip?: number;
                /** @description Maximum number of skills. Default: 100. */
                limit?: number;
                /** @description Empty for the first page; the `next` link or `next_cursor` has that of the following page. It continues after the last skill of a page, even if a new snapshot has other skills before it. Cannot be combined with `skip`. Filters and order must stay the same; `limit`, `fields` and, where they are, `facets` may change. */
                cursor?: string;
                /** @description Requests the most frequent values among all matching skills, with their counts. A comma-separated list of `category`, `kind`, `tag`, `author`, `license`, `valid`. */
                facets?: string;
            };
            header?: {
                /** @description Entity tags of copies that the client has, or `*`. */
                "If-None-Match"?: string;
                /** @description Applies only without `If-None-Match` and with a valid HTTP-date. */
                "If-Modified-Since"?: string;
                /** @description Supported codings: `br`, `gzip` and `identity`. */
                "Accept-Encoding"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the skills. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalogue"];
                };
            };
            /** @description The client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. This includes a cursor that does not belong to this list. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getSkill: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of copies that the client has, or `*`. */
                "If-None-Match"?: string;
                /** @description Applies only without `If-None-Match` and with a valid HTTP-date. */
                "If-Modified-Since"?: string;
                /** @description Supported codings: `br`, `gzip` and `identity`. */
                "Accept-Encoding"?: string;
            };
            path: {
                /** @description The skill’s `id`. */
                skill_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The skill. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Skill"];
                };
            };
            /** @description The client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The skill does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readSkillFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of copies that the client has, or `*`. */
                "If-None-Match"?: string;
                /** @description Applies only without `If-None-Match` and with a valid HTTP-date. */
                "If-Modified-Since"?: string;
                /** @description Supported codings: `br`, `gzip` and `identity`. */
                "Accept-Encoding"?: string;
            };
            path: {
                /** @description The skill’s `id`. */
                skill_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The SKILL.md. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/markdown": string;
                };
            };
            /** @description The client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The skill does not exist. The location of its SKILL.md is unknown or private, or the file is not there. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readSkillIndex: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of copies that the client has, or `*`. */
                "If-None-Match"?: string;
                /** @description Applies only without `If-None-Match` and with a valid HTTP-date. */
                "If-Modified-Since"?: string;
                /** @description Supported codings: `br`, `gzip` and `identity`. */
                "Accept-Encoding"?: string;
            };
            path: {
                /** @description The skill’s `id`. */
                skill_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The index. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WellKnownSkills"];
                };
            };
            /** @description The client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The skill does not exist. The location of its SKILL.md is unknown or private, or the file is not there. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detail"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    searchSkills: {
        parameters: {
            query: {
                /** @description The words of a search, as in `/api/skills`. */
                q: string;
                /** @description Maximum number of skills. Default: 20. */
                limit?: number;
                /** @description Only skills in repositories of this owner, among the first 10,000 that match `q`. */
                owner?: string;
            };
            header?: {
                /** @description Entity tags of copies that the client has, or `*`. */
                "If-None-Match"?: string;
                /** @description Applies only without `If-None-Match` and with a valid HTTP-date. */
                "If-Modified-Since"?: string;
                /** @description Supported codings: `br`, `gzip` and `identity`. */
                "Accept-Encoding"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The skills, best first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundSkills"];
                };
            };
            /** @description The client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listCategories: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of copies that the client has, or `*`. */
                "If-None-Match"?: string;
                /** @description Applies only without `If-None-Match` and with a valid HTTP-date. */
                "If-Modified-Since"?: string;
                /** @description Supported codings: `br`, `gzip` and `identity`. */
                "Accept-Encoding"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The categories and tags. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Categories"];
                };
            };
            /** @description The client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listSuggestions: {
        parameters: {
            query: {
                /** @description The text typed so far. Case is ignored; in names of skills, so are accents, and dashes and underscores count as spaces. */
                q: string;
                /** @description Maximum number of suggestions. Default: 10. */
                limit?: number;
            };
            header?: {
                /** @description Entity tags of copies that the client has, or `*`. */
                "If-None-Match"?: string;
                /** @description Applies only without `If-None-Match` and with a valid HTTP-date. */
                "If-Modified-Since"?: string;
                /** @description Supported codings: `br`, `gzip` and `identity`. */
                "Accept-Encoding"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The suggestions, best first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suggestions"];
                };
            };
            /** @description The client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listChanges: {
        parameters: {
            query: {
                /** @description A snapshot: `snapshot_id` of `/api/registry/status`, or `to` of an earlier response. */
                since: string;
                /** @description Approximate maximum number of ids. The response covers whole snapshots, at least one, and stops before the one that would exceed the limit. Default: no limit. */
                limit?: number;
            };
            header?: {
                /** @description Entity tags of copies that the client has, or `*`. */
                "If-None-Match"?: string;
                /** @description Applies only without `If-None-Match` and with a valid HTTP-date. */
                "If-Modified-Since"?: string;
                /** @description Supported codings: `br`, `gzip` and `identity`. */
                "Accept-Encoding"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes. All three lists are empty if nothing changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changes"];
                };
            };
            /** @description The client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The snapshot is unknown or no longer stored. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readFeed: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of copies that the client has, or `*`. */
                "If-None-Match"?: string;
                /** @description Applies only without `If-None-Match` and with a valid HTTP-date. */
                "If-Modified-Since"?: string;
                /** @description Supported codings: `br`, `gzip` and `identity`. */
                "Accept-Encoding"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The feed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/atom+xml": string;
                };
            };
            /** @description The client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readWellKnownIndex: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of copies that the client has, or `*`. */
                "If-None-Match"?: string;
                /** @description Applies only without `If-None-Match` and with a valid HTTP-date. */
                "If-Modified-Since"?: string;
                /** @description Supported codings: `br`, `gzip` and `identity`. */
                "Accept-Encoding"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The index. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WellKnownSkills"];
                };
            };
            /** @description The client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. Too many large responses are being streamed: lists with a filter, `sort` or `fields` of more than 1,000 skills, and without compression the list and the well-known index of more than 10,000 skills, and raw files of more than 1 MiB. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getRegistryFile: {
        parameters: {
            query?: {
                /** @description The source of the file, one of `sources` in `/api/registry/status`. Default: the first. An unknown source is refused with 400. */
                source?: string;
            };
            header?: {
                /** @description Entity tags of copies that the client has, or `*`. */
                "If-None-Match"?: string;
                /** @description Applies only without `If-None-Match` and with a valid HTTP-date. */
                "If-Modified-Since"?: string;
                /** @description Supported codings: `br`, `gzip` and `identity`. */
                "Accept-Encoding"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. Too many large responses are being streamed: lists with a filter, `sort` or `fields` of more than 1,000 skills, and without compression the list and the well-known index of more than 10,000 skills, and raw files of more than 1 MiB. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getRegistryStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistryStatus"];
                };
            };
            /** @description The request is invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service sent an invalid response or closed the connection early. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency of the service is temporarily unavailable. The outcome of a change is unknown: an `Idempotency-Key` makes a creation safe to repeat. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The service did not respond in time. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is alive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    readReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The gateway is ready: Redis and every service respond. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A dependency does not respond, or the gateway is stopping. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    readOpenApi: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tag of a cached copy. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
            /** @description The client has the current document. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A service has not sent its OpenAPI document since the gateway started. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    downloadClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the file. */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The client has the current file. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description This build has no such file. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    showDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has the current file. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    showRedoc: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has the current file. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many requests from this principal or address. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description An internal error. The log has its cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
}

/** POST operations that take an `Idempotency-Key`. */
export const POSTS_WITH_KEY: readonly string[] = [
    "/agents",
    "/agents/{agent_id}/tasks",
    "/agents/{agent_id}/task-batches",
    "/task-batches",
    "/agents/{agent_id}/tasks/{task_id}/retries",
    "/agents/{agent_id}/tasks/{task_id}/messages",
    "/bulk-actions"
];

/** POST operations whose body is a form. */
export const FORM_POSTS: readonly string[] = [
    "/token",
    "/revoke"
];

/** What each scope allows. */
export const SCOPES = {
    "agents:read": "List and read agents.",
    "agents:write": "Create, replace, pause and delete agents.",
    "tasks:read": "List, search and read tasks, their log entries, leases, workers and statistics.",
    "tasks:write": "Create, replace, cancel, retry and delete tasks, one by one or in bulk.",
    "tasks:answer": "Answer what tasks ask.",
    "leases:write": "Lease tasks, send heartbeats and log entries, report results.",
    "events:read": "List and stream events.",
    "budgets:admin": "Read and set budgets.",
    "registry:admin": "Change the settings of the registry.",
    "audit:read": "Read and export the audit trail.",
    "users:admin": "Manage users, and the keys and sessions of others."
} as const;

/** The scopes of each role, the lowest role first. */
export const ROLES = {
    "viewer": [
        "agents:read",
        "tasks:read",
        "events:read"
    ],
    "worker": [
        "agents:read",
        "tasks:read",
        "leases:write"
    ],
    "approver": [
        "agents:read",
        "tasks:read",
        "events:read",
        "tasks:answer"
    ],
    "operator": [
        "agents:read",
        "tasks:read",
        "events:read",
        "agents:write",
        "tasks:write",
        "tasks:answer"
    ],
    "admin": [
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
        "users:admin"
    ]
} as const;
