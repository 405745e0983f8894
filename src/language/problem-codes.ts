// Stable codes of everything that can be wrong with a pipeline file. The docs are generated from this table.

export interface CodeText {
  readonly title: string;
  readonly fix: string;
}

export const problemCodes = {
  RL100: {
    title: 'The file cannot be read.',
    fix: 'Check the path and its permissions; a pipeline is one UTF-8 text file.',
  },
  RL101: { title: 'The text is not valid YAML.', fix: 'Correct the YAML at this position.' },
  RL102: { title: 'A key occurs twice in a mapping.', fix: 'Remove one of the two keys.' },
  RL103: { title: 'A YAML tag is unknown.', fix: 'Use a plain value without a tag.' },
  RL104: { title: 'The text is nested too deeply.', fix: 'Use fewer than 64 levels.' },
  RL105: {
    title: 'The file is too large.',
    fix: 'Split the file: a pipeline may have at most 1 MiB and 50,000 YAML tokens, and each text in it 10,000 characters.',
  },
  RL106: {
    title: 'An alias is not allowed here.',
    fix: 'Define the anchor before the alias. Use at most 100 aliases, and do not let nested aliases multiply the document.',
  },
  RL107: { title: 'Merge keys (<<) are not supported.', fix: 'Write out the fields.' },
  RL108: {
    title: 'The file contains several documents.',
    fix: 'Use a separate file for each pipeline.',
  },
  RL109: {
    title: 'The file contains no pipeline, or no tests.',
    fix: 'Start from `renderline init`.',
  },
  RL110: { title: 'A key is not plain text.', fix: 'Use plain text as the key.' },
  RL111: { title: 'The document requires another YAML version.', fix: 'Remove the %YAML line.' },
  RL112: {
    title: 'A number is too large to be represented exactly.',
    fix: 'If the value is text, put it in quotes.',
  },
  RL113: {
    title: 'A shared part cannot be included.',
    fix: 'Use a file that ends in .shared.yaml, in the folder of the pipeline or in its repository.',
  },
  RL114: {
    title: 'Two shared parts define the same name.',
    fix: 'Remove the name from one of the parts, or define the name in the pipeline, which takes precedence.',
  },

  RL201: {
    title: 'A field is unknown.',
    fix: 'Correct the spelling of the field, or remove the field.',
  },
  RL202: { title: 'A required field is missing.', fix: 'Add the field.' },
  RL203: { title: 'A value has the wrong type. The message states the type.', fix: '' },
  RL204: { title: 'A value is not allowed. The message states which values are.', fix: '' },
  RL205: {
    title: 'A timeout is too long.',
    fix: 'Shorten the timeout to the limit in the message.',
  },

  RL301: {
    title: 'A node type does not exist.',
    fix: 'Use one of the node types in docs/nodes, or add the plugin of the node type under `plugins:` in renderline.yaml.',
  },
  RL302: { title: 'A parent does not exist.', fix: 'Use the id of another node.' },
  RL303: { title: 'A connector does not exist.', fix: 'Define the connector under `connectors:`.' },
  RL304: {
    title: 'A parameter does not exist.',
    fix: 'Declare the parameter under `parameters:`.',
  },
  RL305: {
    title: 'A parameter has the wrong type for this field.',
    fix: 'Declare the parameter with the type of the field.',
  },
  RL306: {
    title: 'An interpolation is invalid.',
    fix: 'Use ${{ params.NAME }}, and only inside values.',
  },
  RL307: { title: 'A declaration is never used.', fix: 'Use the declaration, or remove it.' },
  RL308: {
    title: 'The declaration of a parameter contradicts itself.',
    fix: 'Make the type, default, values and limits consistent.',
  },
  RL309: {
    title: 'A parameter has no value.',
    fix: 'Set the parameter with --param NAME=VALUE; for scheduled runs, under `schedule.parameters`.',
  },
  RL310: {
    title: 'The file does not declare a parameter that was set.',
    fix: 'Correct the name after --param or under `schedule.parameters`.',
  },
  RL311: {
    title: 'The value of a parameter is invalid.',
    fix: 'Use a value of the declared type, within its limits.',
  },
  RL312: {
    title: 'The path of this operation cannot be set in a file.',
    fix: "Use an operation whose path is missing in the platform's reference; docs/api lists these operations.",
  },
  RL313: {
    title: 'A route does not match its operation.',
    fix: 'Write its method and a path below the base URL, with the parameters of the operation.',
  },
  RL314: {
    title: 'The body of an operation is invalid.',
    fix: 'Set a body only if the reference shows none, with every field in the message.',
  },
  RL315: {
    title: 'A file uses an environment variable that it may not use.',
    fix: 'Use a variable that begins with RENDERLINE_SECRET_, or ask the operator to add the name of the variable to RENDERLINE_ALLOW_SECRETS.',
  },
  RL316: {
    title:
      'An address is not allowed: it would receive secret or signed data unencrypted, or it is a cloud metadata address.',
    fix: 'Use https, or ask the operator to add the host to RENDERLINE_ALLOW_HOSTS; the metadata addresses of clouds are never allowed.',
  },
  RL317: {
    title:
      'A file contains an address that would receive credentials, but the operator has not allowed it.',
    fix: 'If the address is correct, ask the operator to add its host to RENDERLINE_ALLOW_HOSTS, or to set AWS_ENDPOINT_URL_S3 for S3.',
  },
  RL318: {
    title: "The value of a parameter is not in the workspace's list.",
    fix: 'Use a value of the list; `renderline ui` and shell completion offer the values.',
  },

  RL401: { title: 'Two nodes have the same id.', fix: 'Use a different id for each node.' },
  RL402: {
    title: 'A node is its own parent.',
    fix: 'Use the id of the node that precedes this node.',
  },
  RL403: { title: 'Nodes form a cycle.', fix: 'Remove one of the parentIds that form the cycle.' },
  RL404: {
    title: 'A pipeline has exactly one root.',
    fix: 'Add parentIds to all nodes except the root.',
  },
  RL405: {
    title: 'A node cannot be a root.',
    fix: 'Add parentIds, or `select` if the type of the node supports `select`.',
  },
  RL406: {
    title: 'A node of this type cannot have parents.',
    fix: 'Remove the parentIds of the node.',
  },
  RL407: {
    title: 'A node needs something that no node before it provides.',
    fix: 'Before this node, add a node that provides what is missing.',
  },
  RL408: { title: 'A node can never be reached.', fix: 'Connect the node to the root.' },
  RL409: {
    title: 'The file does not say where asset records are stored.',
    fix: 'Set a connector under `records:`.',
  },
  RL410: {
    title: 'Two nodes can do the same work on one asset at the same time.',
    fix: 'Place one node after the other, or add `when:` conditions that exclude each other.',
  },
  RL411: { title: 'A parent is listed twice.', fix: 'List the parent once.' },
  RL412: {
    title: 'A node comes too late to have an effect.',
    fix: 'Move the node before the node in the message.',
  },
  RL413: {
    title: 'A node with parents has a field that only the root may have.',
    fix: 'Remove `select`, or the parentIds.',
  },
  RL414: {
    title: 'Superseded versions can be deleted only if the pipeline uploads files.',
    fix: 'Remove `supersede`, or start with a connector_poll or library_import node.',
  },
  RL415: {
    title: 'A node cannot be combined with a grid of colorways or views.',
    fix: 'Move the node before or after the node with `colorways:` or `views:`. To choose which models get which colorway, use `where` of the colorways.',
  },
  RL416: {
    title: 'The pipeline has no export, so reports of runs have no destination.',
    fix: 'Add an `export`, or remove `report:`.',
  },
  RL417: {
    title: 'A connector cannot be used here: the connector is read-only, or has no folders.',
    fix: 'Use a connector of another type.',
  },
  RL418: {
    title: 'A node cannot create its output from the results of the nodes before it.',
    fix: 'Change the option in the message, or the previous node.',
  },
  RL419: {
    title: 'A node has `redo`, but creates nothing that could be too old.',
    fix: 'Move `redo` to a template, a render or an export.',
  },
  RL420: {
    title:
      'An export has `withdrawn`, but the source of the pipeline does not show which products were removed.',
    fix: 'Remove `withdrawn`, or start with a connector_poll node.',
  },
  RL421: {
    title:
      'A later run may skip a condition on a model property if the asset ends at another node.',
    fix: 'Move all later nodes after the condition, or use a separate pipeline for these nodes.',
  },
  RL422: {
    title: '`on` contains `late`, but the file has no deadline, so no run can be late.',
    fix: 'Add `deadline:` to the file, or remove `late` from `on`.',
  },
  RL423: {
    title: 'The file has a render quota, but no node starts renders.',
    fix: 'Remove `perMonth`, or add a node that renders.',
  },

  RL501: { title: 'An expression is invalid.', fix: 'Correct the CEL at this position.' },
  RL502: {
    title: 'An expression has a type error.',
    fix: 'Compare and combine only values of compatible types.',
  },
  RL503: {
    title: 'An expression returns the wrong type.',
    fix: 'Make a condition return true or false, and a key return text.',
  },
  RL504: {
    title: 'An expression is not allowed because its evaluation time cannot be bounded.',
    fix: 'Simplify it.',
  },
  RL505: {
    title: 'An expression reads a variable that is not available yet at this node.',
    fix: 'Move the condition to a node after the node that sets the variable.',
  },
  RL511: { title: 'A glob is invalid or unsupported.', fix: 'Use *, **, ?, [a-z] and {a,b}.' },
  RL512: {
    title: 'A regular expression is invalid or unsupported.',
    fix: 'Use fewer `*`, `+` and `?`, and begin the expression with ^.',
  },
  RL521: {
    title: 'A naming template is invalid.',
    fix: 'Use only the listed fields, and stay below the folder of the connector.',
  },
  RL522: {
    title: 'All assets would get the same name or the same key.',
    fix: 'In naming templates, use {{ key }}, {{ name }} or a table column; build keys from the path.',
  },
  RL523: {
    title: 'A naming template uses a field that has no single value.',
    fix: 'Request exactly one variant, bookmark or shot in an earlier node, or remove the field.',
  },

  RL601: {
    title: 'This can only be checked when the run starts.',
    fix: 'No action is needed; for information only.',
  },

  RL701: {
    title: 'A cron expression is invalid.',
    fix: 'Write minute, hour, day of month, month and day of week, for example "0 2 * * MON-FRI".',
  },
  RL702: {
    title: 'A time zone is unknown.',
    fix: 'Write an IANA name such as Europe/Berlin, or UTC.',
  },
  RL703: {
    title: 'Fields of a schedule are missing or cannot be combined.',
    fix: 'Set `cron` or `every`, and only fields that belong to it.',
  },
  RL704: {
    title: 'A schedule never starts a run.',
    fix: 'Use dates that exist, and do not exclude every day.',
  },
  RL705: {
    title: 'A duration of a schedule cannot be used.',
    fix: 'Use a duration within the limits in the message.',
  },
  RL706: {
    title: 'Two schedules of a file have the same name.',
    fix: 'Use a different name for each.',
  },
  RL707: {
    title:
      'A cron expression contains days of the month and days of the week; runs start only on days that match both.',
    fix: 'If a run should start on days that match either field, as in crontab, write two expressions under `cron:`.',
  },
  RL708: {
    title: 'A day in a schedule is not a valid date, or a range of days ends before it starts.',
    fix: 'Write 2026-12-24, or 2026-12-24..2026-12-26, the earlier day first.',
  },

  RL801: {
    title: 'Two tests of a file have the same name.',
    fix: 'Use a different name for each.',
  },
  RL802: {
    title: 'A test refers to something that does not exist.',
    fix: 'Correct the name of the operation, parameter, node, schedule or failure code.',
  },
  RL803: {
    title: 'A file of a test cannot be created.',
    fix: "Use a path in the test's folder, with an extension that can be generated, or set `text` or `copy`.",
  },
  RL804: {
    title: 'A fault of a test is incomplete or ambiguous.',
    fix: 'Set one subject, and what happens to the subject.',
  },
  RL805: { title: 'The pipeline of a test does not exist.', fix: 'Correct `pipeline:`.' },
} as const satisfies Record<string, CodeText>;

export type ProblemCode = keyof typeof problemCodes;
