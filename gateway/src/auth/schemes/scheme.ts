import type { IncomingMessage } from 'node:http';
import type { GatewayConfig } from '../../config.ts';
import type { BearerTokens } from './bearer-tokens.ts';
import type { Principal } from './principal.ts';

/** Verifies the credentials of one scheme. */
interface Verifier {
  /** Returns a promise only when Redis is queried. @throws HttpError for a credential that is not valid */
  verify(credential: string, req: IncomingMessage): Principal | Promise<Principal>;
  /** Whether this process has accepted the credential before. Does not authenticate: it recognises a known client. */
  isKnown(credential: string, req: IncomingMessage): boolean;
}

/** The dependencies of verifiers. */
export interface VerifierDependencies {
  config: GatewayConfig;
  bearerTokens: BearerTokens;
}

/** A way to authenticate with the value of one request header. `SCHEMES` lists all of them. */
export interface AuthenticationScheme {
  /** Its name in the OpenAPI document. */
  name: string;
  /** The header with the credential. It is never forwarded. */
  header: string;
  /** Its entry in `components.securitySchemes` of the OpenAPI document. */
  securityScheme: Readonly<Record<string, unknown>>;
  createVerifier(dependencies: VerifierDependencies): Verifier;
}
