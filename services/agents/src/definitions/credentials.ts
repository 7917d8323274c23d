/**
 * What the keys of big providers and forges begin with, as these publish it: Anthropic, OpenAI, OpenRouter and Stripe
 * (sk-, rk_), GitHub, GitLab, AWS, Google, Slack, npm, PyPI, Hugging Face, Groq, xAI, Perplexity, DigitalOcean,
 * SendGrid, Docker, Linear, Databricks; then private keys (RFC 7468) and bearer tokens (RFC 6750).
 */
const CREDENTIAL = new RegExp(
  [
    String.raw`\b(?:sk-[\w-]{16}|[sr]k_(?:live|test)_\w{16})`,
    String.raw`\b(?:gh[opusr]_\w{16}|github_pat_\w{16}|gl(?:pat|ptt|rt|dt|cbt)-[\w-]{16})`,
    String.raw`\b(?:A(?:KIA|SIA)[A-Z\d]{12}|AIza[\w-]{30}|ya29\.[\w-]{16}|GOCSPX-[\w-]{16})`,
    String.raw`\b(?:xox[abeprs]-[\w-]{10}|xapp-[\w-]{10}|npm_\w{30}|pypi-[\w-]{16}|hf_\w{30})`,
    String.raw`\b(?:gsk_\w{30}|xai-\w{30}|pplx-\w{30}|dop_v1_\w{30}|SG\.[\w-]{16}|dckr_pat_[\w-]{16}|lin_api_\w{30}|dapi[\da-f]{32})`,
    '-----BEGIN (?:[A-Z\\d]+ )*PRIVATE KEY-----',
    String.raw`\bBearer\s+[\w.~+/=-]{20}`,
  ].join('|'),
  'i',
);

/** Whether a text has something in it that looks like a key or a token. */
export function hasCredential(text: string): boolean {
  return CREDENTIAL.test(text);
}
