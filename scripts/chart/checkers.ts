// Programs that check the rendered chart, with the rules that do not apply and the reasons.

export interface Checker {
  name: string;
  program: string;
  /** @param file path of the rendered chart */
  args: (file: string) => string[];
  /** Command that installs the program. */
  from: string;
}

/** The oldest and newest supported Kubernetes versions. */
export const kubernetesVersions = ['1.27', '1.37'] as const;

/** Rules of kube-score that do not apply. */
const notScored = [
  // An exact tag or digest never changes, and if images were always pulled, an unavailable registry would keep pods
  // from starting.
  'container-image-pull-policy',
  // The image's user is 1000, which owns the files in shared folders.
  'container-security-context-user-group-id',
  // topologySpreadConstraints spread the pods across nodes.
  'deployment-has-host-podantiaffinity',
  // The metrics Service may select only pods of Temporal's WorkerDeployment, which kube-score does not know.
  'service-targets-pod',
  // The reason is the same as for service-targets-pod.
  'networkpolicy-targets-pod',
];

/** Rules of checkov that do not apply. */
const notChecked = [
  // The namespace is chosen at installation.
  'CKV_K8S_21',
  // The reasons for the pull policy and the user are the same as above.
  'CKV_K8S_15',
  'CKV_K8S_40',
  // Work comes in bursts, so a CPU limit would delay heartbeats while cores are idle.
  'CKV_K8S_11',
  // The digest (image.digest) is known only to users with a registry.
  'CKV_K8S_43',
  // Temporal's configuration reads its key only from a variable. The platform's key is in a file.
  'CKV_K8S_35',
  // The pod of `helm test` ends after its test, so it needs no probes.
  'CKV_K8S_8',
  'CKV_K8S_9',
];

/** Lists the checkers. @param schemas `-schema-location` of kubeconform. If undefined, skips kubeconform */
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
            // There are no packaged definitions of ServiceMonitor and PrometheusRule.
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
