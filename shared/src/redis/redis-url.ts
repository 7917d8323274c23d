export interface RedisHost {
  host: string;
  port: number;
}

/** Several servers: the nodes of a cluster, or sentinels. */
interface RedisHosts {
  kind: 'cluster' | 'sentinel';
  tls: boolean;
  username: string;
  password: string;
  hosts: RedisHost[];
  /** Empty without one. */
  master: string;
  db: number;
}

const SINGLE_HOST = /^rediss?:\/\/\S+$/;
/** `redis+cluster://[user:password@]host:port,host:port`, and the same for sentinels; WHATWG URLs have one host. */
const SEVERAL_HOSTS =
  /^redis(s?)\+(cluster|sentinel):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/]+)(?:\/([^/]*))?(?:\/(\d+))?$/;
const HOST = /^\[?([^\s@[\]?#]+?)\]?(?::(\d{1,5}))?$/;
const DEFAULT_PORTS = { cluster: 6379, sentinel: 26379 };
const MAX_PORT = 65_535;

/** The servers of a URL that names several; undefined for one server. @throws Error that does not show the URL */
export function parseRedisUrl(url: string): RedisHosts | undefined {
  try {
    if (SINGLE_HOST.test(url)) return checkSingle(new URL(url));
    const [, tls, kind, username = '', password = '', hosts = '', master = '', db = '0'] =
      SEVERAL_HOSTS.exec(url) ?? [];
    if (kind === 'cluster' || kind === 'sentinel') {
      return {
        kind,
        tls: tls !== '',
        username: decodeURIComponent(username),
        password: decodeURIComponent(password),
        hosts: hosts.split(',').map((host) => parseHost(host, DEFAULT_PORTS[kind])),
        master,
        db: Number(db),
      };
    }
  } catch {
    throw new Error('is not a valid URL; in a password, all but letters and digits must be percent-encoded');
  }
  throw new Error('must be redis://, redis+sentinel:// or redis+cluster://, with rediss for TLS');
}

function checkSingle({ username, password }: URL): undefined {
  decodeURIComponent(username + password);
}

function parseHost(text: string, defaultPort: number): RedisHost {
  const [, host, port = defaultPort] = HOST.exec(text) ?? [];
  if (!host || Number(port) > MAX_PORT) throw new Error('no host');
  return { host, port: Number(port) };
}
