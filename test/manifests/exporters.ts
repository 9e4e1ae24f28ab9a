/** Metrics of other exporters, with their labels, from the exporters' sources in the versions of the manifests. */
export interface Exporter {
  /** The image in the manifests; undefined if the exporter is part of the cluster. */
  readonly image?: string;
  readonly metrics: Readonly<Record<string, readonly string[]>>;
}

export const EXPORTERS: Readonly<Record<string, Exporter>> = {
  "Prometheus itself": { metrics: { up: [] } },

  /** From exporter/v1_compatibility.go and exporter/metrics.go; /scrapeall adds `instance`. */
  "percona/mongodb_exporter": {
    image: "percona/mongodb_exporter:0.53.0",
    metrics: {
      mongodb_up: ["instance", "cluster_role"],
      mongodb_mongod_replset_my_state: ["instance", "set"],
      mongodb_mongod_replset_member_replication_lag: ["instance", "name", "state", "set", "self"],
      mongodb_mongod_replset_oplog_head_timestamp: ["instance"],
      mongodb_mongod_replset_oplog_tail_timestamp: ["instance"],
      mongodb_ss_opcounters: ["instance", "legacy_op_type"],
      mongodb_ss_connections: ["instance", "conn_type"],
      mongodb_ss_globalLock_currentQueue: ["instance", "count_type"],
    },
  },

  /** From collector/collector.go, which exports each number of /varz as a gauge, and collector/healthz.go. */
  "natsio/prometheus-nats-exporter": {
    image: "natsio/prometheus-nats-exporter:0.20.1",
    metrics: {
      gnatsd_healthz_status_value: ["server_id", "value"],
      gnatsd_varz_routes: ["server_id"],
      gnatsd_varz_slow_consumers: ["server_id"],
      gnatsd_varz_connections: ["server_id"],
      gnatsd_varz_in_msgs: ["server_id"],
      gnatsd_varz_out_msgs: ["server_id"],
      gnatsd_varz_mem: ["server_id"],
    },
  },

  /** From docs/metrics/workload of kube-state-metrics. */
  "kube-state-metrics": {
    metrics: {
      kube_cronjob_created: ["namespace", "cronjob"],
      kube_cronjob_status_last_successful_time: ["namespace", "cronjob"],
      kube_pod_container_status_restarts_total: ["namespace", "pod", "container"],
      kube_deployment_status_condition: ["namespace", "deployment", "condition", "status"],
      kube_deployment_status_replicas_available: ["namespace", "deployment"],
      kube_deployment_spec_replicas: ["namespace", "deployment"],
      kube_statefulset_status_replicas_ready: ["namespace", "statefulset"],
      kube_statefulset_status_replicas_updated: ["namespace", "statefulset"],
      kube_statefulset_replicas: ["namespace", "statefulset"],
    },
  },

  "the kubelet": {
    metrics: {
      kubelet_volume_stats_available_bytes: ["namespace", "persistentvolumeclaim"],
      kubelet_volume_stats_capacity_bytes: ["namespace", "persistentvolumeclaim"],
    },
  },
};
