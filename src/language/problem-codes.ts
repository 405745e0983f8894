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
  RL101: { title: 'The text is not valid YAML.', fix: 'Correct the YAML at this place.' },
  RL102: { title: 'A key occurs twice in one mapping.', fix: 'Remove one of the two.' },
  RL103: { title: 'A YAML tag is not known.', fix: 'Write a plain value without a tag.' },
  RL104: { title: 'The text is nested too deeply.', fix: 'A pipeline needs fewer than 64 levels.' },
  RL105: {
    title: 'The file is too large.',
    fix: 'A pipeline is at most 1 MiB and 50,000 YAML tokens, and each text in it 10,000 characters; split it.',
  },
  RL106: {
    title: 'An alias is not allowed here.',
    fix: 'Define the anchor first, and use at most 100 aliases that do not multiply.',
  },
  RL107: { title: 'Merge keys (<<) are not supported.', fix: 'Write the fields out.' },
  RL108: { title: 'The file contains several documents.', fix: 'One file is one pipeline.' },
  RL109: {
    title: 'The file contains no pipeline, or no tests.',
    fix: 'Start from `renderline init`.',
  },
  RL110: { title: 'A key is not plain text.', fix: 'Use a plain word as the key.' },
  RL111: { title: 'The document asks for another YAML version.', fix: 'Remove the %YAML line.' },
  RL112: {
    title: 'A number is too large to be kept exactly.',
    fix: 'Put it in quotes if it is text.',
  },
  RL113: {
    title: 'A shared part cannot be included.',
    fix: 'Name a file that ends in .shared.yaml, in the folder of the pipeline or in its repository.',
  },
  RL114: {
    title: 'Two shared parts define the same name.',
    fix: 'Remove it from one of them, or define it in the pipeline, which wins.',
  },

  RL201: { title: 'A field is not known.', fix: 'Correct its spelling or remove it.' },
  RL202: { title: 'A required field is missing.', fix: 'Add it.' },
  RL203: { title: 'A value has the wrong type.', fix: 'Write a value of the type that is named.' },
  RL204: { title: 'A value is not allowed.', fix: 'Use one of the values that are named.' },
  RL205: {
    title: 'A timeout is longer than it can be.',
    fix: 'Shorten it to the limit that is named.',
  },

  RL301: {
    title: 'A node type does not exist.',
    fix: 'Use one of the node types in docs/nodes, or name the plugin that brings it under `plugins:` in renderline.yaml.',
  },
  RL302: { title: 'A parent does not exist.', fix: 'Name the id of another node.' },
  RL303: { title: 'A connector does not exist.', fix: 'Define it under `connectors:`.' },
  RL304: { title: 'A parameter does not exist.', fix: 'Declare it under `parameters:`.' },
  RL305: {
    title: 'A parameter has the wrong type for this place.',
    fix: 'Declare it with the type that the field takes.',
  },
  RL306: {
    title: 'An interpolation is not valid.',
    fix: 'Only ${{ params.NAME }} is supported, and only inside values.',
  },
  RL307: { title: 'A declaration is never used.', fix: 'Use it or remove it.' },
  RL308: {
    title: 'The declaration of a parameter contradicts itself.',
    fix: 'Make type, default, values and limits fit together.',
  },
  RL309: {
    title: 'A parameter has no value.',
    fix: 'Give it with --param NAME=VALUE; for scheduled runs under `schedule.parameters`.',
  },
  RL310: {
    title: 'A parameter was given that the file does not declare.',
    fix: 'Correct the name after --param or under `schedule.parameters`.',
  },
  RL311: {
    title: 'The value given for a parameter does not fit.',
    fix: 'Give a value of the declared type, within its limits.',
  },
  RL312: {
    title: 'This operation cannot be named in a file.',
    fix: "Name an operation whose path the platform's reference does not show; docs/api has them.",
  },
  RL313: {
    title: 'A route does not fit its operation.',
    fix: 'Write its method and a path below the base URL, with the parameters of the operation.',
  },
  RL314: {
    title: 'The body of an operation is not valid.',
    fix: 'Give a body only if the reference shows none, with every field that the message names.',
  },
  RL315: {
    title: 'A file names a variable of the environment that it may not use.',
    fix: 'Name one that begins with RENDERLINE_SECRET_, or let the operator add its name to RENDERLINE_ALLOW_SECRETS.',
  },
  RL316: {
    title:
      'An address is not allowed: it would receive secret or signed data unencrypted, or it is the metadata address of a cloud.',
    fix: 'Write https, or let the operator add the host to RENDERLINE_ALLOW_HOSTS; the metadata addresses of clouds are never allowed.',
  },
  RL317: {
    title:
      'A file names an address that would get credentials, and the operator has not allowed it.',
    fix: 'If the address is right, let the operator name it in RENDERLINE_ALLOW_HOSTS, for S3 also in AWS_ENDPOINT_URL_S3.',
  },
  RL318: {
    title: "The value of a parameter is not in the workspace's list.",
    fix: 'Use a value of that list; `renderline ui` and shell completion offer them.',
  },

  RL401: { title: 'Two nodes have the same id.', fix: 'Give each node its own id.' },
  RL402: { title: 'A node names itself as its parent.', fix: 'Name the node before it.' },
  RL403: { title: 'Nodes form a cycle.', fix: 'Remove one of the parentIds.' },
  RL404: {
    title: 'A pipeline has exactly one root.',
    fix: 'Give every node but one its parentIds.',
  },
  RL405: {
    title: 'A node cannot be a root.',
    fix: 'Give it parentIds, or `select` if its type has it.',
  },
  RL406: { title: 'A node of this type takes no parents.', fix: 'Remove its parentIds.' },
  RL407: {
    title: 'A node lacks what it needs from the nodes before it.',
    fix: 'Put a node that gives it before this one.',
  },
  RL408: { title: 'A node can never be reached.', fix: 'Connect it to the root.' },
  RL409: {
    title: 'The file does not say where asset records are stored.',
    fix: 'Name a connector under `records:`.',
  },
  RL410: {
    title: 'Two nodes can do the same work on one asset at the same time.',
    fix: 'Put one after the other, or give both `when:` conditions that exclude each other.',
  },
  RL411: { title: 'A parent is named twice.', fix: 'Name it once.' },
  RL412: {
    title: 'A node comes too late to have an effect.',
    fix: 'Move the node before the one that the message names.',
  },
  RL413: {
    title: 'A node with parents selects what the pipeline starts with.',
    fix: 'Remove `select`, or the parentIds.',
  },
  RL414: {
    title: 'Superseded versions can be deleted only if the pipeline uploads files.',
    fix: 'Remove `supersede`, or start with a connector_poll or library_import node.',
  },
  RL415: {
    title: 'A node cannot be combined with a grid of colorways or with views.',
    fix: 'Put it before or after the node with `colorways:` or `views:`. Use its `where` to choose which models get which colorway.',
  },
  RL416: {
    title: 'There is no export, so reports of runs have no destination.',
    fix: 'Add an `export`, or remove `report:`.',
  },
  RL417: {
    title: 'A connector cannot be used for this: it is read-only, or it has no folders.',
    fix: 'Name a connector of another type.',
  },
  RL418: {
    title: 'A node cannot create its output from the results of the nodes before it.',
    fix: 'Change the option that the message names, or the node before.',
  },
  RL419: {
    title: 'A node has `redo`, but creates nothing that could be too old.',
    fix: 'Put `redo` at a template, a render or an export.',
  },
  RL420: {
    title:
      'An export has `withdrawn`, but the source of the pipeline does not show which products were removed.',
    fix: 'Remove `withdrawn`, or start with a connector_poll node.',
  },
  RL421: {
    title:
      'A later run may skip a condition on a model property if the asset ends at another node.',
    fix: 'Put all later nodes after the condition, or use a pipeline of its own for them.',
  },
  RL422: {
    title: '`on` contains `late`, but the file has no deadline, so no run can be late.',
    fix: 'Add `deadline:` to the file, or remove `late` from `on`.',
  },
  RL423: {
    title: 'The file has a quota of renders, but no node starts renders.',
    fix: 'Remove `perMonth`, or add a node that renders.',
  },

  RL501: { title: 'An expression is not valid.', fix: 'Correct the CEL at this place.' },
  RL502: {
    title: 'An expression has a type error.',
    fix: 'Compare and combine values of types that go together.',
  },
  RL503: {
    title: 'An expression gives the wrong type.',
    fix: 'A condition gives true or false, a key gives text.',
  },
  RL504: {
    title: 'An expression is not allowed because its time cannot be bounded.',
    fix: 'Make it simpler.',
  },
  RL505: {
    title: 'An expression reads a variable that is not known yet at this node.',
    fix: 'Move the condition to a node after the one that sets it.',
  },
  RL511: { title: 'A glob cannot be used.', fix: 'Use *, **, ?, [a-z] and {a,b}.' },
  RL512: {
    title: 'A regular expression cannot be used.',
    fix: 'Use fewer `*`, `+` and `?`, and begin it with ^.',
  },
  RL521: {
    title: 'A naming template cannot be used.',
    fix: 'Use only the fields that are listed, below the folder of the connector.',
  },
  RL522: {
    title: 'All assets would get the same name or the same key.',
    fix: 'Put {{ key }}, {{ name }} or a column of a table into a naming template; make a key from the path.',
  },
  RL523: {
    title: 'A naming template uses a field that cannot be known.',
    fix: 'Request exactly one variant, bookmark or shot in a node before, or leave the field out.',
  },

  RL601: {
    title: 'This can only be checked when the run starts.',
    fix: 'No action is needed; it is listed for information.',
  },

  RL701: {
    title: 'A cron expression is not valid.',
    fix: 'Write minute, hour, day of month, month and day of week, for example "0 2 * * MON-FRI".',
  },
  RL702: {
    title: 'A time zone is not known.',
    fix: 'Write an IANA name such as Europe/Berlin, or UTC.',
  },
  RL703: {
    title: 'Fields of a schedule are missing, or do not go together.',
    fix: 'Give it `cron` or `every`, and only fields that go with it.',
  },
  RL704: {
    title: 'A schedule never starts a run.',
    fix: 'Name a date that exists, and leave days that are not excepted.',
  },
  RL705: {
    title: 'A duration of a schedule cannot be used.',
    fix: 'Use a duration within the limits that are named.',
  },
  RL706: {
    title: 'Two schedules of a file have the same name.',
    fix: 'Give each a name of its own.',
  },
  RL707: {
    title:
      'A cron expression names days of the month and days of the week; runs start only on days that are both.',
    fix: 'If a run should start on days that match either field, as in crontab, write two expressions under `cron:`.',
  },
  RL708: {
    title: 'A day in a schedule is not a valid date, or a range of days ends before it begins.',
    fix: 'Write 2026-12-24, or 2026-12-24..2026-12-26, the earlier day first.',
  },

  RL801: { title: 'Two tests of a file have the same name.', fix: 'Give each a name of its own.' },
  RL802: {
    title: 'A test names something that does not exist.',
    fix: 'Correct the name of the operation, parameter, node, schedule or failure code.',
  },
  RL803: {
    title: 'A file of a test cannot be created.',
    fix: 'Name it below the folder of the test, with an extension whose files can be created, or give `text` or `copy`.',
  },
  RL804: {
    title: 'A fault is incomplete or ambiguous.',
    fix: 'Name one subject, and what happens to it.',
  },
  RL805: { title: 'The pipeline of a test does not exist.', fix: 'Correct `pipeline:`.' },
} as const satisfies Record<string, CodeText>;

export type ProblemCode = keyof typeof problemCodes;
