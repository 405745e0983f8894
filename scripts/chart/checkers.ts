// Programs that judge what the chart renders, each with what it does not have to judge here, and why.

export interface Checker {
  name: string;
  program: string;
  /** @param file what was rendered */
  args: (file: string) => string[];
  /** How to get it. */
  from: string;
}

/** The oldest and the newest Kubernetes whose objects are asked for. */
export const kubernetesVersions = ['1.27', '1.37'] as const;

/** Rules of kube-score that do not fit. */
const notScored = [
  // An exact tag or digest never changes, and a registry that is away would keep pods from starting.
  'container-image-pull-policy',
  // The image's user is 1000, and files of a shared folder belong to it.
  'container-security-context-user-group-id',
  // Spread over nodes by topologySpreadConstraints.
  'deployment-has-host-podantiaffinity',
  // The metrics of a release have no version yet, or all of its versions.
  'service-targets-pod',
  // Pods of Temporal's WorkerDeployment are none that it knows.
  'networkpolicy-targets-pod',
];

/** Rules of checkov that do not fit. */
const notChecked = [
  // Which namespace is said at installation.
  'CKV_K8S_21',
  // As above: pull policy, user.
  'CKV_K8S_15',
  'CKV_K8S_40',
  // Work comes in bursts; a limit of CPU makes a worker late with its heartbeats while cores are idle.
  'CKV_K8S_11',
  // A digest is a value of whoever has a registry: image.digest.
  'CKV_K8S_43',
  // Temporal's settings know its key as a variable alone. That of the platform is a file.
  'CKV_K8S_35',
  // The pod of `helm test` ends by itself.
  'CKV_K8S_8',
  'CKV_K8S_9',
];

/** @param schemas where kubeconform finds schemas, as its `-schema-location`; undefined: it is not run */
export function checkersOf(schemas: string | undefined): Checker[] {
  return [
    ...kubernetesVersions.map((version) => ({
      name: `kubernetes-validate ${version}`,
      program: 'kubernetes-validate',
      args: (file: string) => ['--strict', '--no-warn', '-k', version, file],
      from: 'pip install kubernetes-validate==1.37.0',
    })),
    {
      name: 'kube-score',
      program: 'kube-score',
      args: (file) => [
        'score',
        '--output-format',
        'ci',
        '--ignore-container-cpu-limit',
        ...notScored.flatMap((rule) => ['--ignore-test', rule]),
        file,
      ],
      from: 'go install github.com/zegl/kube-score/cmd/kube-score@latest',
    },
    {
      name: 'checkov',
      program: 'checkov',
      args: (file) => [
        '--file',
        file,
        '--framework',
        'kubernetes',
        '--compact',
        '--quiet',
        '--skip-download',
        '--skip-check',
        notChecked.join(','),
      ],
      from: 'pip install checkov',
    },
    ...(schemas === undefined
      ? []
      : [
          {
            name: 'kubeconform',
            program: 'kubeconform',
            // No package has the definitions of ServiceMonitor and PrometheusRule.
            args: (file: string) => [
              '-strict',
              '-skip',
              'ServiceMonitor,PrometheusRule',
              '-schema-location',
              schemas,
              file,
            ],
            from: 'go install github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
          },
        ]),
  ];
}
