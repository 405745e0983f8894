// The renderline.yaml that `init` writes: every setting, commented out.
export const starterConfig = `# Settings of Renderline for this folder and everything below it.
# Flags and environment variables win over this file; \`renderline doctor\` shows what holds.
# The API key never stands here: set RENDERLINE_API_KEY, or RENDERLINE_API_KEY_FILE.

# Root of the platform's API (RENDERLINE_BASE_URL). \`renderline dev\` prints a local one.
# baseUrl: https://HOST/api/v1

# Temporal task queue that runs are put on and workers take them from (RENDERLINE_TASK_QUEUE). Unset, each workspace has
# its own: renderline-WORKSPACE_ID.
# taskQueue: renderline

# API requests that the key may make in 60 seconds (RENDERLINE_RATE_LIMIT). Unset, the first refusal teaches it.
# rateLimit: 600

# Address of the Temporal UI, for links to the page of a run (RENDERLINE_TEMPORAL_UI).
# temporalUi: http://localhost:8233

# Where workers hear of the platform's notifications (RENDERLINE_HINTS_URL); \`renderline webhooks\` prints it.
# hintsUrl: http://127.0.0.1:8099/hints
`;
