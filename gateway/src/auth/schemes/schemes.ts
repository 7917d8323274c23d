import { apiKeyScheme } from './api-key-scheme.ts';
import { bearerScheme } from './bearer-scheme.ts';
import type { AuthenticationScheme } from './scheme.ts';

/**
 * The ways to authenticate, in the order in which they are checked; of several good credentials the first names the principal. Authentication,
 * header hygiene, CORS and the OpenAPI document read this list.
 */
export const SCHEMES: readonly AuthenticationScheme[] = [bearerScheme, apiKeyScheme];
