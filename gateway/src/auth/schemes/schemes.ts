import { apiKeyScheme } from './api-key-scheme.ts';
import { bearerScheme } from './bearer-scheme.ts';
import type { AuthenticationScheme } from './scheme.ts';
import { sessionScheme } from './session-scheme.ts';

/**
 * The authentication schemes in the order of their checks; of several valid credentials, the first determines the
 * principal. Authentication, header hygiene, CORS and the OpenAPI document use this list.
 */
export const SCHEMES: readonly AuthenticationScheme[] = [bearerScheme, apiKeyScheme, sessionScheme];
