import { apiKeyScheme } from './api-key-scheme.ts';
import { bearerScheme } from './bearer-scheme.ts';
import type { AuthenticationScheme } from './scheme.ts';
import { sessionScheme } from './session-scheme.ts';

/**
 * The authentication schemes in the order of their checks; of several valid credentials, the first determines the
 * principal. Authentication, header hygiene and CORS use this list; the API document has them in `SECURITY_SCHEMES`.
 */
export const SCHEMES: readonly AuthenticationScheme[] = [bearerScheme, apiKeyScheme, sessionScheme];
