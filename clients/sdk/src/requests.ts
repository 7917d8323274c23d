import type { Client } from 'openapi-fetch';
import type { components, paths } from './generated/api.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

/** What a call may set besides the parameters and the body of its operation. */
export interface CallOptions {
  /** Further headers, such as `traceparent`. */
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Default: that of the fleet. */
  timeoutMs?: number;
  /** Default: that of the fleet. */
  retries?: number;
  /** Of a creation; default: a random one, so that a retry creates nothing twice. */
  idempotencyKey?: string;
}

/** The paths with an operation of a method. */
export type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, { responses: unknown }> ? Path : never;
}[keyof paths];

type OperationOf<Path extends keyof paths, M extends Method> =
  paths[Path] extends Record<M, infer Operation> ? Operation : never;
type SuccessStatus = 200 | 201 | 202 | 204 | 207;
type SuccessOf<Operation> = Operation extends { responses: infer All } ? All[keyof All & SuccessStatus] : never;
type BodyOf<Response> = Response extends { content: infer Content }
  ? Content extends { 'application/json': infer Json }
    ? Json
    : Content[keyof Content]
  : undefined;

/** The records of lists by their parts, which `fields` selects. */
type Wholes = { AgentFields: Agent; TaskFields: Task; SkillFields: Schemas['Skill'] };
type WholeOf<Item> = {
  [Name in keyof Wholes]: [keyof Item, keyof Schemas[Name]] extends [keyof Schemas[Name], keyof Item]
    ? Wholes[Name]
    : never;
}[keyof Wholes];
type Listed<Data> = Data extends (infer Item)[] ? ([WholeOf<Item>] extends [never] ? Data : WholeOf<Item>[]) : Data;

/** The body of a success; of several media types JSON. Lists have whole records, as without `fields`. */
export type DataOf<Path extends keyof paths, M extends Method> = Listed<BodyOf<SuccessOf<OperationOf<Path, M>>>>;

type RequiredKeys<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? never : K }[keyof T];
type ParamsOption<All> = RequiredKeys<All> extends never ? { params?: All } : { params: All };
type ParamsOf<Operation> = Operation extends { parameters: infer All } ? ParamsOption<All> : never;
type ContentOf<Content> = Content[keyof Content];
type RequestBodyOf<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? { body: ContentOf<Content> }
  : Operation extends { requestBody?: { content: infer Content } }
    ? { body?: ContentOf<Content> }
    : { body?: never };
type OptionsOf<Operation> = ParamsOf<Operation> & RequestBodyOf<Operation> & CallOptions;

/** The arguments after the path; none are needed where no parameter is required. */
export type Init<Path extends keyof paths, M extends Method> =
  RequiredKeys<OptionsOf<OperationOf<Path, M>>> extends never
    ? [OptionsOf<OperationOf<Path, M>>?]
    : [OptionsOf<OperationOf<Path, M>>];

/** Calls an operation. @throws FleetError for anything but a success, or the signal's reason */
export type Call<M extends Method> = <Path extends PathsWith<M>>(
  path: Path,
  ...init: Init<Path, M>
) => Promise<{ data: DataOf<Path, M>; response: Response }>;

export type Api = Client<paths>;

type Schemas = components['schemas'];

export type Agent = Schemas['Agent'];
export type Event = Schemas['Event'];
export type LogEntry = Schemas['LogEntry'];
export type Lease = Schemas['Lease'];
export type Task = Schemas['Task'];

type ArrayOf<Path extends PathsWith<'get'>> = Extract<DataOf<Path, 'get'>, readonly unknown[]>;

/** The paths whose response is an array, or may be one. */
export type ListPath = {
  [Path in PathsWith<'get'>]: [ArrayOf<Path>] extends [never] ? never : Path;
}[PathsWith<'get'>];

export type ItemOf<Path extends ListPath> = ArrayOf<Path>[number];
