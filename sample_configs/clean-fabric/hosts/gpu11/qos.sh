#!/bin/bash
# Settings of the AMD adapters; roce-setup.service runs it at every start.
data_dscp=26
cnp_dscp=48
for i in $(nicctl show port | grep Port | awk '{print $3}'); do
  nicctl update port -p $i --pause-type pfc --rx-pause enable --tx-pause enable
done
nicctl update qos --classification-type dscp
nicctl update qos dscp-to-priority --dscp 0-63 --priority 0
nicctl update qos dscp-to-priority --dscp $data_dscp --priority 3
nicctl update qos dscp-to-priority --dscp $cnp_dscp --priority 6
nicctl update qos pfc --priority 3 --no-drop enable
nicctl update qos scheduling --priority 0,3,6 --dwrr 10,90,0 --rate-limit 0,0,10
for dev in rocep26s0 rocep60s0; do
  nicctl update dcqcn -r $dev -i 1 --cnp-dscp $cnp_dscp
done
