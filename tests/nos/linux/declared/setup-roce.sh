#!/bin/bash
# made: what a site runs at boot
set -e
export NCCL_IB_TC=106 NCCL_IB_GID_INDEX=3
NCCL_IB_TIMEOUT=22
export API_TOKEN=do-not-keep
RATE=$(cat /etc/rate)
for dev in ens1np0 ens2np0; do
  mlnx_qos -i $dev --trust dscp --pfc=0,0,0,1,0,0,0,0 \
    --prio_tc 0,1,2,3,4,5,6,7 -s ets,ets,ets,ets,ets,ets,strict,strict -t 10,10,10,50,10,10,0,0
  mlnx_qos -i $dev --ratelimit $RATE
  mlnx_qos -i "$dev" --dscp2prio set,26,3 --dscp2prio set,48,6
  sudo ethtool -A $dev rx off tx off
  ip link set dev $dev mtu 4200
  for p in 0 1 2 3 4 5 6 7; do
    echo 1 > /sys/class/net/$dev/ecn/roce_np/enable/$p
    echo 1 | tee /sys/class/net/$dev/ecn/roce_rp/enable/$p >/dev/null
  done
done
cma_roce_tos -d mlx5_0 -t 106
cma_roce_mode -d mlx5_0 -p 1 -m 2
sudo bash -c 'echo 106 > /sys/class/infiniband/mlx5_1/tc/1/traffic_class'
sysctl -w net.ipv4.conf.all.arp_ignore=2 net.ipv4.ip_forward=1
if [ "$1" = jumbo ]; then
  ip link set ens2np0 mtu 9000
fi
