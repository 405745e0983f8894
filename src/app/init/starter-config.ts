// The renderline.yaml that `init` writes, with all lines commented out.
export const starterConfig = `# Settings of Renderline for this folder and everything below it.
# Flags and environment variables override this file; \`renderline doctor\` shows the effective values.
# The API key does not belong here: set RENDERLINE_API_KEY or RENDERLINE_API_KEY_FILE.

# Root of the platform's API (RENDERLINE_BASE_URL). \`renderline dev\` prints a local one.
# baseUrl: https://HOST/api/v1

# Temporal task queue of runs and workers (RENDERLINE_TASK_QUEUE). Default: one queue per workspace,
# renderline-WORKSPACE_ID.
# taskQueue: renderline

# API requests that the key may make in 60 seconds (RENDERLINE_RATE_LIMIT). Default: learned from the first 429 response.
# rateLimit: 600

# Address of the Temporal UI, for links to runs (RENDERLINE_TEMPORAL_UI).
# temporalUi: http://localhost:8233

# Address from which workers get the platform's notifications (RENDERLINE_WAKE_UPS_URL); \`renderline webhooks\` prints it.
# wakeUpsUrl: http://127.0.0.1:8099/wake-ups

# Channels of the team: what each shop accepts, for \`images: [{ channel: our-shop }]\` of an export.
# channels:
#   our-shop: { format: JPEG, maxSide: 1800, square: true, background: white, checks: { longestSide: { min: 1000 } } }

# Your own node types.
# plugins: [./our-nodes.js]

# Paths of operations that the platform's reference does not show; \`renderline api --list\` lists them.
# operations:
#   createColorwayBatch: 'POST /colorway-batches'

# Names of fields that the platform's reference does not show; set the names if an error reports that they differ.
# fields: { variant: { id: variantId, name: name }, slot: { logos: logos } }

# The pages of \`renderline ui\` for a team: their address, the proxy that signs people in, and who may do what.
# ui:
#   origin: https://renderline.studio.example
#   user: { header: X-Forwarded-Email, from: [10.0.0.5] }
#   roles: { start: [anna@studio.example], decide: ['*@agency.example'], look: ['*@studio.example'] }
`;
